"""Continues a run in the agent that made it: writes a new session file, or uses the agent's own fork command.

A pure function of the request and of the source's own records: nothing is written and nothing is run here. Ids, the
time and the folders of the machine are passed in.
"""

from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.writers import WRITERS, Writer, hand_back, why_not

__all__ = ["WRITERS", "Continuation", "Handback", "NewFile", "Writer", "hand_back", "why_not"]
