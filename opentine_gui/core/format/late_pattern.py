"""Patterns that are compiled when they are first used: compiling all of them is a tenth of the window's start."""

from __future__ import annotations

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a compiled pattern. What is asked of it is kept: from the second time on, a use costs no call more."""

    def __init__(self, text: str, flags: int) -> None:
        self._made_of = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._made_of), name)  # `re` keeps what it compiled last
        setattr(self, name, found)
        return found


def late_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern with all methods and attributes of a compiled one, to be used by them; `re`'s functions refuse it.

    For large patterns that no first picture needs. A text that is no pattern raises at the first use, not here.
    """
    return cast("re.Pattern[str]", _LatePattern(text, flags))
