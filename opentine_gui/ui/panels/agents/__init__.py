"""The agents' panels: their sessions on this machine, and the output of a command that continues a run."""
