"""A pattern that takes too long to light is given up, also by two that look through texts at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from opentine_gui.app.search import lit_text
from opentine_gui.app.search.lit_text import LitText
from opentine_gui.app.search.query import parse_query


class Slow:
    """A pattern that takes too long; meanwhile a job finds the same of it in another text."""

    def __init__(self) -> None:
        self.asked = 0
        self.lit: LitText | None = None

    def finditer(self, text: str, timeout: float) -> Iterator[Any]:
        self.asked += 1
        if self.asked == 1:
            assert self.lit is not None
            assert list(self.lit.finditer("what a job looks through")) == []
        raise TimeoutError


def test_a_pattern_is_given_up_by_two_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr(lit_text, "compiled_pattern", lambda _text: slow)
    slow.lit = lit = LitText(parse_query("word /a+/"))
    assert [(spot.first, spot.last) for spot in lit.finditer("a word")] == [(2, 6)]
    assert slow.asked == 2
    assert [(spot.first, spot.last) for spot in lit.finditer("a word")] == [(2, 6)]
    assert slow.asked == 2, "for good"
