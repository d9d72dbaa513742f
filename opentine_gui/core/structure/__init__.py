"""The structure behind the folded view: what calls are for, lanes, one order of all steps, and where to split it.

Pure functions of a graph, on plain lists and arrays: a hundred thousand steps take about a second. The folded graph
that networkx works on is made in `layout`, where networkx may be imported.
"""
