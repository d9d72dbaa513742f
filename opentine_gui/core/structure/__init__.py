"""The structure of a run at first sight: what calls are for, lanes, one order of all steps, and where to part it.

Pure functions of a graph, on plain lists and arrays: a hundred thousand steps take about a second. A folded graph for
networkx is made where networkx may be imported, in `layout`.
"""
