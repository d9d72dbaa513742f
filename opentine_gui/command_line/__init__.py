"""The words of the command line: opening a window, reading runs, writing runs, and how output is put."""

PROGRAM = "opentine-gui"
FINE, REFUSED, UNREADABLE, NOT_VERIFIED = 0, 1, 2, 3
"""Exit status: done; refused, or something does not match; a file cannot be read or the command is not clear; nothing
contradicts a file, but not everything in it could be checked."""
