"""Notes and pins follow steps that have other ids since a rule of their reader changed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from opentine_gui.app.document.side_stores import SideStores
from opentine_gui.app.document.side_stores.annotation_store import AnnotationStore
from opentine_gui.app.document.side_stores.card_positions import PositionStore
from opentine_gui.app.document.side_stores.former_ids import move_to_new_ids
from opentine_gui.app.state.annotations import Annotation, changes_between
from opentine_gui.importers.readers import read_source
from opentine_gui.layout import Direction
from tests.app.conftest import Bench

DOWN = Direction.TOP_TO_BOTTOM.value


@pytest.fixture
def stores(tmp_path: Path) -> SideStores:
    return SideStores(PositionStore(tmp_path, now=lambda: 7.0), AnnotationStore(tmp_path))


def test_what_is_kept_under_the_new_id_stays_and_nothing_is_lost(stores: SideStores) -> None:
    kept = {name: Annotation(name) for name in ("old", "other old", "second old", "new", "unknown")}
    stores.annotations.remember(changes_between({}, kept))
    stores.positions.remember(DOWN, {"other old": (1.0, 2.0)})
    move_to_new_ids(stores, {"old": "new", "other old": "other new", "second old": "other new"})
    assert stores.annotations.annotations([*kept, "other new"]) == {
        "old": Annotation("old"),
        "second old": Annotation("second old"),
        "new": Annotation("new"),
        "unknown": Annotation("unknown"),
        "other new": Annotation("other old"),
    }
    assert stores.positions.positions(DOWN, ["other old", "other new"]) == {"other new": (1.0, 2.0)}


def test_a_note_that_is_dropped_after_it_moved_does_not_come_back(stores: SideStores) -> None:
    stores.annotations.remember(changes_between({}, {"old": Annotation("why?")}))
    move_to_new_ids(stores, {"old": "new"})
    stores.annotations.remember(changes_between({"new": Annotation("why?")}, {}))
    move_to_new_ids(stores, {"old": "new"})
    assert stores.annotations.annotations(["old", "new"]) == {}


def test_a_store_that_cannot_be_read_leaves_everything_where_it_is(stores: SideStores, tmp_path: Path) -> None:
    stores.annotations.remember(changes_between({}, {"old": Annotation("why?")}))
    (file,) = (path for path in tmp_path.iterdir() if "annotations" in path.name and path.suffix == ".json")
    file.write_text("{")
    stores.positions.remember(DOWN, {"old": (1.0, 2.0)})
    move_to_new_ids(stores, {"old": "new"})
    assert file.read_text() == "{"
    assert stores.positions.positions(DOWN, ["new"]) == {"new": (1.0, 2.0)}


def test_a_note_is_on_its_step_when_the_session_opens_with_a_newer_reader(second_bench: Callable[[], Bench]) -> None:
    bench = second_bench()
    path = bench.folder / "session.db"
    calls = [{"type": "custom_tool_call", "call_id": name, "name": "patch", "input": name} for name in ("a", "b")]
    results = [{"type": "custom_tool_call_output", "call_id": name, "output": "done"} for name in ("a", "b")]
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE agent_sessions (session_id TEXT)")
        connection.execute(
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TEXT)"
        )
        for item in ({"role": "user", "content": "go"}, *calls, *results):
            connection.execute("INSERT INTO agent_messages VALUES (NULL, 's', ?, '')", (json.dumps(item),))
        connection.commit()
    former = read_source(path).former
    kept = {step: Annotation("why?") for step in former}
    bench.session.side_stores.annotations.remember(changes_between({}, kept))
    bench.do("file.open", path=path)
    document = bench.session.active
    assert document is not None and set(document.annotations) == set(former.values())
    assert set(former.values()) <= set(bench.record.graph.ids)
