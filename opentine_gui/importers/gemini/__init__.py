"""Gemini CLI's chats: JSON lines that patch a list of messages, the older one document, and plain histories."""

from opentine_gui.importers.gemini.reader import read as read
from opentine_gui.importers.gemini.reader import recognise as recognise
