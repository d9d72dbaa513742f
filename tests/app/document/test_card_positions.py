"""Remembered positions: a damaged entry takes no other with it, and none puts a card where no canvas is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui.app.document.side_stores.card_positions import PositionStore
from opentine_gui.layout import Direction
from tests.app.conftest import Bench
from tests.conftest import run_of

DOWN = Direction.TOP_TO_BOTTOM.value
BAD = [[1e308, 0, 1], [-1e300, 1e300, 1], ["x", 0, 1], [1], None, {"x": 1}, [1, 2, "then"], "\ud800"]


@pytest.fixture
def store(tmp_path: Path) -> PositionStore:
    return PositionStore(tmp_path, now=lambda: 7.0)


@pytest.mark.parametrize("bad", BAD, ids=ascii)
def test_one_bad_entry_leaves_the_others(store: PositionStore, tmp_path: Path, bad: object) -> None:
    stored = {DOWN: {"good": [10, 20, 1], "bad": bad, "other": [30, 40, 2]}, "left-to-right": {"good": [1, 2, 3]}}
    (tmp_path / "positions.json").write_text(json.dumps(stored))
    assert store.positions(DOWN, ["good", "bad", "other"]).keys() >= ({"good", "other"} if bad != "\ud800" else set())
    assert "bad" not in store.positions(DOWN, ["good", "bad", "other"])
    store.remember(DOWN, {"new": (5.0, 6.0)})
    assert store.positions(DOWN, ["new"]) == {"new": (5.0, 6.0)}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"top-to-bottom": 3}', '{"top-to-bottom": {"a": [1e999, 0, 0]}}'])
def test_a_damaged_store_is_an_empty_one(store: PositionStore, tmp_path: Path, text: str) -> None:
    (tmp_path / "positions.json").write_text(text)
    assert store.positions(DOWN, ["a"]) == {}


def test_a_run_is_drawn_whatever_is_remembered_of_its_cards(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a", "c": "a"})
    store = bench.session.side_stores.positions
    store.remember(DOWN, dict.fromkeys(record.graph.ids[:2], (1e308, -1e308)))
    bench.open("run.tine", record)
    layout = bench.active.picture.layout
    assert layout is not None
    assert bench.notices() == []
    left, top, right, bottom = layout.bounds
    assert right - left < 10_000 and bottom - top < 10_000
