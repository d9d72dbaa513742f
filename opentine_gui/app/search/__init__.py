"""Everything recorded is found: the query language, the search through runs, and the index of a folder."""
