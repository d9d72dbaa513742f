"""One card: what it shows, and its parts as they are drawn."""
