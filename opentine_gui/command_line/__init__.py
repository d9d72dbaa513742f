"""The commands of the command line, one module each, and how their output is printed."""

PROGRAM = "opentine-gui"
FINE, REFUSED, UNREADABLE, NOT_VERIFIED = 0, 1, 2, 3
"""Exit status: done; refused, or something does not match; a file cannot be read, or the command is not understood; no
check of a file failed, but not everything in it could be checked."""
