"""A native desktop editor for .tine files; ARCHITECTURE.md says which package may import which."""

__version__ = "1.0.0"
