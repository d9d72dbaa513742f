"""The text of the format: canonical JSON, checks, containers."""
