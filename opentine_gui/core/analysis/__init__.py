"""What follows from a recording without asking a model: files touched, who wrote a line, suspects, where to fork.

Everything is a pure function of a graph; nothing here decides, it gives places and reasons.
"""
