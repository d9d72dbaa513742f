"""The readers of editors' agents."""

from __future__ import annotations

from opentine_gui.importers.frameworks.editors import cline, copilot_cli, vscode_chat

READERS = (*copilot_cli.READERS, *vscode_chat.READERS, *cline.READERS)
