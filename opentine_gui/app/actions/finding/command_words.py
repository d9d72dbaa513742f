"""What actions are looked for by, beside their names: the words of other programs, and what an export makes."""

from __future__ import annotations

from collections.abc import Mapping

SETTINGS = "settings preferences options"
KEYS = "shortcuts keyboard bindings hotkeys"

COMMAND_WORDS: Mapping[str, str] = {
    "file.export": (
        "html htm page svg png picture image mermaid mmd dot gv graphviz graphml gephi markdown md report json tine"
    ),
    "file.open_recent": "history last",
    "edit.undo": "history revert",
    "edit.redo": "history repeat",
    "go.back": "history",
    "go.forward": "history",
    "view.scale": f"text font size zoom ui bigger smaller dpi {SETTINGS}",
    "view.theme": f"appearance colours colors {SETTINGS}",
    "view.motion": f"animation {SETTINGS}",
    "view.file_dialogs": SETTINGS,
    "help.change_keys": f"{KEYS} {SETTINGS}",
    "help.keys": KEYS,
    "search.open": "search filter",
    "search.regex": "pattern",
    "runs.trash": "delete remove",
}
"""Words by the id of the action, in small letters, parted by spaces."""
