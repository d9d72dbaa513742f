"""A sample of what `make crawl` does: every scene, and every pair of a size and a theme."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.crawl.scenes import SCENES, SLOW
from tests.ui.crawl.window import LOOKS, crawl

PRESSES, EVERY = 12, 4
"""Presses in each scene, and one action in so many that is run there: the next scene runs the next of them."""


@pytest.mark.parametrize(("scene", "number"), [(scene, number) for number, scene in enumerate(SCENES)])
def test_every_control_answers_and_says_what_it_is(scene: str, number: int, tmp_path: Path) -> None:
    most, every = (PRESSES, EVERY) if scene not in SLOW else (PRESSES // 2, EVERY * 4)
    report = crawl(scene, LOOKS[number % len(LOOKS)], tmp_path, most=most, first=number, every=every)
    assert report.findings == [], "\n".join(report.findings)
    assert report.pressed == most
    assert len(report.states) > 2
