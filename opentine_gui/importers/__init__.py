"""Files as runs, whatever wrote them: one module a format, and the table of readers that knows them all."""
