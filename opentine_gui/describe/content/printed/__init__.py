"""What programs print: logs, traces, and what a terminal shows, with its colours and lines drawn again."""
