"""A run back into the agent that made it: a new session of its own kind, or its own door, at any step.

A pure function of the wish and of the source's own records: nothing is written and nothing is run here. Ids, the time
and the folders of the machine are passed in.
"""

from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.writers import WRITERS, Writer, hand_back, why_not

__all__ = ["WRITERS", "Continuation", "Handback", "NewFile", "Writer", "hand_back", "why_not"]
