"""What a person typed, where their editor or a dropped file put something before it."""

from __future__ import annotations

import pytest

from opentine_gui.core.graph.typed_prompt import typed

DROPPED = "'/var/folders/T/Screenshot 2026-01-21 at 01.27.21.png'"


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (f"{DROPPED}\n\nwhy do the colours differ?", "why do the colours differ?"),
        (f"{DROPPED}\n/home/dev/my\\ notes.md\nwhy?", "why?"),
        (DROPPED, DROPPED),
        ("/init", "/init"),
        ("/review a.py", "/review a.py"),
        ("/home/dev/a.py is broken\nmend it", "/home/dev/a.py is broken\nmend it"),
        (f"# Context from my IDE setup:\n\na.py\n\n## My request for Codex:\n{DROPPED}\nwhy?", "why?"),
    ],
)
def test_dropped_files_and_what_an_editor_added_are_not_what_was_typed(prompt: str, said: str) -> None:
    assert typed(prompt) == said
