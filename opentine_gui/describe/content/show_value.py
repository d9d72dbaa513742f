"""Shows any recorded value as styled lines: finds out what its texts are, and lets each viewer show its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from opentine_gui.describe.content.lines import Lines, Pace, no_pace, plain, prose, text_lines
from opentine_gui.describe.content.tree_lines import SHORT_TEXT, Folds, Path, Shown, tree_lines


class Wish(NamedTuple):
    """How a value is to be shown: `raw` as recorded, without interpretation; `hint` a file name or a language."""

    raw: bool = False
    hint: str = ""


PRETTY = Wish()


def show_value(value: Any, folds: Folds, wish: Wish = PRETTY, path: Path = (), pace: Pace = no_pace) -> Shown:
    """The lines of a value. A text is shown as what it is, anything else as a tree."""
    return _Show(folds, wish, pace).value(path, value)


class _Show:
    def __init__(self, folds: Folds, wish: Wish, pace: Pace) -> None:
        self.folds, self.wish, self.pace = folds, wish, pace

    def value(self, path: Path, value: Any) -> Shown:
        if isinstance(value, str):
            return Shown("Text", self._plain(value))
        if self.wish.raw:
            text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
            return Shown("JSON", text_lines(text, plain, self.pace))
        return Shown("", tree_lines(value, self.folds, self.text, self.object, path))

    def text(self, _path: Path, text: str) -> Shown | None:
        if len(text) <= SHORT_TEXT and "\n" not in text:
            return None
        return Shown("Text", self._plain(text))

    def object(self, _path: Path, _value: Mapping[str, Any]) -> Shown | None:
        return None

    def _plain(self, text: str) -> Lines:
        return text_lines(text, plain if self.wish.raw else prose, self.pace)
