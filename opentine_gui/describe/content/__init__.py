"""Recorded values as styled lines, by what they are: Markdown, code, differences, terminal output, tables, pictures.

Pure functions; what takes long is given a `Pace` and may be stopped.
"""
