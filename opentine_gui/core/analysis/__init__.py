"""What can be found out from a recording without a model: files touched, who wrote a line, suspects, where to fork.

Everything is a pure function of a graph. Nothing here decides: it offers places and reasons.
"""
