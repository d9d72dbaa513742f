"""The program as a citizen of the desktop: names, file type, and telling the system to open .tine files with it."""

from __future__ import annotations

NAME = "opentine-gui"
TITLE = "opentine"
DESCRIPTION = "See an agent's run as a graph, fork it, merge it"
FILE_SUFFIX = ".tine"
MIME_TYPE = "application/x-tine"
TYPE_NAME = "Agent run"
ICON_SIZES = (16, 32, 48, 64, 128, 256, 512)
