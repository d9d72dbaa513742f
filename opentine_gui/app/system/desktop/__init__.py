"""Desktop integration: names, the file type, and opening .tine files with this program."""

from __future__ import annotations

NAME = "opentine-gui"
TITLE = "opentine"
DESCRIPTION = "See an agent's run as a graph, fork it, merge it"
FILE_SUFFIX = ".tine"
MIME_TYPE = "application/x-tine"
TYPE_NAME = "Agent run"
ICON_SIZES = (16, 32, 48, 64, 128, 256, 512)
