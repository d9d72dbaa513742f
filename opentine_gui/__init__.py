"""A native desktop editor for .tine files; ARCHITECTURE.md says which package may import which."""

__version__ = "0.1.0"
