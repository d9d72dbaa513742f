"""A pattern that is compiled when it is first used is as good as a compiled one."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import opentine_gui
from opentine_gui.core.format import late_pattern as module
from opentine_gui.core.format.late_pattern import late_pattern

PACKAGE = Path(opentine_gui.__file__).parent


def test_nothing_is_compiled_before_the_first_use_and_then_once_for_each_method(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled: list[tuple[str, int]] = []
    compile_now = re.compile

    def noted(text: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append((text, flags))
        return compile_now(text, flags)

    monkeypatch.setattr(module.re, "compile", noted)
    late = late_pattern(r"(?P<word>\w)x", re.IGNORECASE)
    assert compiled == []
    found = [late.search(text) for text in ("aX", "bx", "c")]
    assert [match and match["word"] for match in found] == ["a", "b", None]
    assert compiled == [(r"(?P<word>\w)x", re.IGNORECASE)]
    assert late.sub("-", "ax bx") == "- -"
    assert (late.pattern, late.groups, late.flags & re.IGNORECASE) == (r"(?P<word>\w)x", 1, re.IGNORECASE)


def late_patterns(values: Iterable[object]) -> Iterator[module._LatePattern]:
    """The late patterns among some values, and in the tables among these."""
    for value in values:
        if type(value) is module._LatePattern:
            yield value
        elif isinstance(value, tuple | list | frozenset):
            yield from late_patterns(value)
        elif isinstance(value, dict):
            yield from late_patterns(value.values())


def test_every_pattern_of_the_program_is_one() -> None:
    rooms = ("core", "describe", "app/state")
    paths = [path for room in rooms for path in (PACKAGE / room).rglob("*.py")]
    names = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in paths]
    for name, path in zip(names, paths, strict=True):
        found = list(late_patterns(vars(importlib.import_module(name)).values()))
        assert len(found) >= len(re.findall(r"^_?[A-Z_]+ = late_pattern\(", path.read_text(), re.MULTILINE)), name
        for pattern in found:
            assert isinstance(re.compile(*pattern._made_of), re.Pattern)
