"""Edits, which make new records: fork, merge, extract, replay, a new step, other details."""
