"""Inspect's scores in words: letters become what the scorer found; numbers and texts stay as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

LETTERS = {"C": "correct", "I": "incorrect", "P": "partly correct", "N": "no answer"}
LONGEST = 40


def in_words(scores: Iterable[Any]) -> str:
    """The values of a sample's scores, such as "correct, score 0.25"; "" if there are none."""
    return ", ".join(_word(value) for value in scores)


def _word(value: Any) -> str:
    if isinstance(value, (dict, list)) or value is None:
        return "scored"
    return LETTERS.get(str(value), f"score {value}")[:LONGEST]
