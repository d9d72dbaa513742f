"""Codex sessions ("rollouts"): a thread in one or more files, forks that point to a base, and files of sub-agents."""

from opentine_gui.importers.codex.headers import family_of as family
from opentine_gui.importers.codex.headers import recognise as recognise
from opentine_gui.importers.codex.reader import read as read

__all__ = ["family", "read", "recognise"]
