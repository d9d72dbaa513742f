"""The text of the format: canonical JSON, checks, containers; and patterns that are compiled late."""
