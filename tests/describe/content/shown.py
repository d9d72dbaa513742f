"""What a viewer shows, as texts."""

from __future__ import annotations

from opentine_gui.describe.content.lines import Lines
from opentine_gui.scene.text.styled import StyledLine


def said(lines: Lines) -> list[str]:
    """What the text says, without what is said about it."""
    return [line.text for line in styled(lines) if not line.ours]


def styled(lines: Lines) -> list[StyledLine]:
    return [lines[index] for index in range(len(lines))]
