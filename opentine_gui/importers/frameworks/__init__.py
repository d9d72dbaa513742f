"""Frameworks and harnesses that agents are built with or run in, a package or module each."""
