"""A session grows while its newest step is selected: that stays on a card of its own, and where it is on the screen."""

from __future__ import annotations

from itertools import pairwise

import pytest

from opentine_gui.importers import readers
from opentine_gui.scene.space.camera import Viewport, to_screen
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, append, live, step


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))


def test_a_newest_step_that_is_selected_keeps_a_card_of_its_own(bench: Bench) -> None:
    """What came after it stood on its card, and the inspector showed them all instead of it."""
    names = [f"step {number}" for number in range(120)]
    lines = [step(name, above) for above, name in pairwise(("", *names))]
    path = live(bench, b"".join(lines[:100]))
    bench.do("go.tip")
    document = bench.active
    selected = document.selection.primary
    assert selected is not None

    def alone() -> bool:
        fold, card = document.picture.fold, document.picture.index_of(document.selection.ids[-1])
        return fold is not None and card is not None and not fold.is_group(card)

    assert alone()
    append(bench, path, b'{"tiny": "step 99", "result": "done"}\n')
    for at in range(100, 120, 10):
        append(bench, path, b"".join(lines[at : at + 10]))
        assert document.selection.ids == (document.present_id(selected),)
        assert alone(), f"after line {at}"


def test_its_card_stays_where_it_is_on_the_screen(bench: Bench) -> None:
    """The beginning of the run was held instead, and the card went out of view."""
    bench.session.viewport = Viewport(560, 200)
    names = [f"step {number}" for number in range(160)]
    lines = [step(name, above) for above, name in pairwise(("", *names))]
    path = live(bench, b"".join(lines[:100]))
    bench.do("go.tip")
    document = bench.active

    def place() -> tuple[float, float]:
        card, camera, layout = (
            document.picture.index_of(document.selection.ids[-1]),
            document.picture.camera,
            document.picture.layout,
        )
        assert card is not None and camera is not None and layout is not None
        x, y = to_screen(camera, bench.session.viewport, *layout.centers[card])
        return round(float(x), 3), round(float(y), 3)

    before, seen = place(), []
    for at in range(100, 160, 10):
        append(bench, path, b"".join(lines[at : at + 10]))
        seen.append(place())
    assert seen == [before] * 6
