"""Commands that find something in runs: what was recorded, and who wrote a line."""
