"""Reads growing sources incrementally: only new records are read, and only new steps are made."""
