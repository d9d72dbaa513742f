"""Claude Code's session logs as runs, with branches, sub-agents, compactions and abandoned work."""

from opentine_gui.importers.claude_code.family import family as family
from opentine_gui.importers.claude_code.recognise import recognise as recognise
from opentine_gui.importers.claude_code.session import read as read
