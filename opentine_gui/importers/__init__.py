"""Reads files of any format as runs: a module or package for each format, and the table of readers."""
