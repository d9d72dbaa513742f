"""The list of runs: its heading and filter, its rows, and what stands there without any."""
