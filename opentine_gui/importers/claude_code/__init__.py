"""Claude Code's session logs: records to a run with its branches, sub-agents, compactions and what was left behind."""

from opentine_gui.importers.claude_code.family import family as family
from opentine_gui.importers.claude_code.recognise import recognise as recognise
from opentine_gui.importers.claude_code.session import read as read
