"""Recorded values as styled lines, by what they are: Markdown, code, differences, terminal output, tables, pictures.

Pure functions; slow ones take a `Pace` and can be cancelled.
"""
