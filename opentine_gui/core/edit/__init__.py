"""Edits make new records: fork, merge, extract, a new step."""
