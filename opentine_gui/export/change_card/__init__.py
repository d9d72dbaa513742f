"""The what-changed card: one slide about two runs."""
