"""The files of a run: what calls do to them, their text at any step, and which step wrote a line."""
