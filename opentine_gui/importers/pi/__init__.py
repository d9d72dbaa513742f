"""pi's sessions (versions 1 to 3): a tree of entries in one file; a fork is a new file with copied entries."""

from opentine_gui.importers.pi.entries import recognise as recognise
from opentine_gui.importers.pi.forks import family_of as family
from opentine_gui.importers.pi.reader import read as read

__all__ = ["family", "read", "recognise"]
