"""The whole application without a window: documents, commands, undo, actions, gestures, jobs, files.

Everything a person can do goes through `Session.invoke`; the window, the tests and batch runs use the same door.
"""
