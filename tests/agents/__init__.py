"""Proof that agents go on from what is handed back to them: the real programs, alone with a scripted model.

`python -m tests.agents` installs pinned versions, hands recorded sessions back at every kind of point, resumes each in
the agent, and compares what the agent sends to its model with what the run says stood before. Not part of the tests.
"""
