"""The session as a whole: tabs, the queue, closing."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.application import make_session
from opentine_gui.app.state.settings import config_folder, load_settings
from opentine_gui.app.system.settings_keeper import REST
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage
from opentine_gui.layout import Direction
from tests.app.conftest import Bench
from tests.conftest import named, run_of

ONE, TWO = run_of({"a": "", "b": "a"}, run_id="one"), run_of({"c": ""}, run_id="two")


def test_actions_run_in_the_order_they_were_asked_for_and_not_before_the_next_step(bench: Bench) -> None:
    bench.session.invoke("view.theme", name="light")
    bench.session.invoke("view.theme", name="high-contrast")
    assert bench.session.view.theme == "dark"
    assert bench.step()
    assert bench.session.view.theme == "high-contrast"


def test_a_step_without_budget_does_one_action_and_leaves_the_rest_for_the_next(bench: Bench) -> None:
    for name in ("light", "high-contrast"):
        bench.session.invoke("view.theme", name=name)
    bench.session.step(budget=0.0)
    assert bench.session.view.theme == "light"
    assert bench.session.busy
    bench.session.step(budget=0.0)
    assert bench.session.view.theme == "high-contrast"
    assert not bench.session.busy


def test_a_new_document_opens_beside_the_active_one(bench: Bench) -> None:
    bench.open("one.tine", ONE)
    bench.open("two.tine", TWO)
    bench.do("document.activate", document=bench.session.documents[0].number)
    bench.do("run.fork", step=bench.record.graph.ids[0], accept=True)
    assert [document.title for document in bench.session.documents] == ["one.tine", "Fork of one", "two.tine"]


def test_a_file_opened_through_a_link_is_the_same_document(bench: Bench) -> None:
    bench.open("one.tine", ONE)
    (bench.folder / "link.tine").symlink_to(bench.folder / "one.tine")
    bench.open("link.tine")
    assert len(bench.session.documents) == 1


def test_a_bad_step_after_the_file_name_still_opens_the_file_and_says_so(bench: Bench) -> None:
    bench.write("one.tine", ONE)
    bench.do("file.open", path=f"{bench.folder / 'one.tine'}#zzzz")
    assert bench.active.picture.layout is not None
    assert "'zzzz'" in bench.notices("error")[0]


def test_selections_cameras_and_undo_belong_to_their_documents(bench: Bench) -> None:
    bench.open("one.tine", ONE)
    bench.do("select.all")
    bench.do("view.pan", dx=50.0, dy=0.0)
    camera = bench.active.picture.camera
    bench.open("two.tine", TWO)
    assert len(bench.active.selection) == 0
    bench.do("document.previous")
    assert len(bench.active.selection) == 2
    assert bench.active.picture.camera == camera


def test_closing_writes_the_settings_once(bench: Bench) -> None:
    bench.open("one.tine", ONE)
    bench.do("view.theme", name="light")
    bench.do("view.panels")
    bench.session.close()
    settings = load_settings()
    assert (settings.theme, settings.panels) == ("light", False)
    assert settings.recent == [str(bench.folder / "one.tine")]
    bench.session.settings.theme = "dark"
    bench.session.close()
    assert load_settings().theme == "light"


def test_the_settings_are_read_once_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    real = storage.read_bytes

    def watched(path: Path, **options: Any) -> bytes:
        read.append(path)
        return real(path, **options)

    monkeypatch.setattr(storage, "read_bytes", watched)
    make_session().close()
    assert [path.name for path in read].count("settings.json") == 1


@pytest.mark.parametrize("damaged", [b'{"theme": "lig', b"[]", b"\xff", b"[" * 20_000])
def test_damaged_settings_are_kept_beside_the_defaults_and_it_is_reported(tmp_path: Path, damaged: bytes) -> None:
    folder = config_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("settings.damaged.json", *(f"settings.damaged.{number}.json" for number in range(2, 13))):
        (folder / "settings.json").write_bytes(damaged)
        session = make_session(environment={}, working_folder=tmp_path)
        session.close()
        assert name in session.notices.list()[0].text
        assert (folder / name).read_bytes() == damaged
        assert load_settings().theme == "dark"
    session = make_session(environment={}, working_folder=tmp_path)
    session.close()
    assert not session.notices.list(), "settings that are whole stay where they are"


def test_a_setting_survives_a_crash_once_it_rests(bench: Bench) -> None:
    bench.do("keep.switch", on=True)
    bench.do("view.theme", name="light")
    assert not load_settings().keep
    bench.clock.now += REST
    bench.session.settle()
    assert load_settings().keep
    bench.do("view.theme", name="dark")
    assert load_settings().theme == "light"


def test_windows_keep_the_settings_of_each_other(tmp_path: Path) -> None:
    first, second = (make_session(environment={}, working_folder=tmp_path) for _ in range(2))
    first.settings.keep = True
    first.settings.remember_file(tmp_path / "first.tine")
    first.settings.commands = {"any": "agent {file}"}
    first.close()
    second.view.theme = "light"
    second.settings.remember_file(tmp_path / "second.tine")
    second.settings.commands = {"model": "other {file}"}
    second.close()
    kept = load_settings()
    assert (kept.keep, kept.theme) == (True, "light")
    assert kept.recent == [str(tmp_path / name) for name in ("second.tine", "first.tine")]
    assert kept.commands == {"any": "agent {file}", "model": "other {file}"}


def test_what_could_not_be_written_on_closing_is_told_to_who_closes(bench: Bench) -> None:
    """No window shows notices any more."""
    bench.open("one.tine", ONE)
    config_folder().parent.mkdir(parents=True, exist_ok=True)
    config_folder().write_bytes(b"a file where the folder of the settings would be")
    assert bench.notices("error") == []
    bench.jobs.hold = True
    bench.session.jobs.submit("write", _refuse, lambda _nothing: None, title="Writing", must_finish=True)
    bench.jobs.release()
    said = bench.session.close()
    assert [text.partition(":")[0] for text in said] == ["Writing", "The settings could not be written"]


def test_what_fails_in_every_step_is_reported_once_until_it_has_gone_well(bench: Bench) -> None:
    problems = ["the disk is slow", "the disk is slow", "", "the disk is slow"]

    def work() -> None:
        problem = problems.pop(0) if problems else ""
        if problem:
            raise OSError(problem)

    bench.session.step_tasks.append(("Look", work))
    said = []
    for _step in range(5):
        bench.step()
        said.append(bench.notices("error"))
        for notice in bench.session.notices.list():
            bench.session.notices.dismiss(notice.key)
    assert said == [["Look: the disk is slow"], [], [], ["Look: the disk is slow"], []]


def _refuse(_progress: object, _cancelled: object) -> None:
    raise StorageError("the disk is full")


def test_text_in_files_reaches_cards_and_notices_cleaned(bench: Bench) -> None:
    hostile = "bad\x1b[31m-\u202egnp.exe\u202c-name"
    bench.open("one.tine", run_of({hostile: "", "x" + hostile: hostile}))
    for index in (0, 1):
        face = bench.active.face(index)
        for text in (face.title, face.line, *(flag.text for flag in face.flags)):
            assert not set(text) & set("\x1b\u202e\u202c")


def test_a_direction_nobody_knows_opens_files_in_the_usual_one(bench: Bench) -> None:
    bench.session.settings.direction = "sideways"
    document = bench.open("one.tine", ONE)
    assert document.picture.layout is not None
    assert document.picture.layout.direction is Direction.TOP_TO_BOTTOM


def test_an_edit_that_was_undone_and_replaced_is_freed_by_reference_count(bench: Bench) -> None:
    """Its graph and its picture: 60 MB at 100,000 steps, which the collector may not look at for a long time."""
    record = run_of({"a": "", "b": "a", "c": "b", "e": "a", "f": "e", "g": "e"})
    document = bench.open("run.tine", record)
    c, f, g = (named(record, name) for name in "cfg")
    bench.do("run.merge", steps=(c, f), accept=True)
    assert document.record is not None and document.picture.base_layout is not None
    assert document.verification is not None
    gone = [
        weakref.ref(thing)
        for thing in (document.record.graph, document.picture.base_layout, document.picture.scene_index)
    ]
    gc.collect()
    gc.disable()
    try:
        bench.do("edit.undo")
        assert gone[0]() is not None, "redo needs it"
        bench.do("run.merge", steps=(c, g), accept=True)
        assert [thing() for thing in gone] == [None] * 3
    finally:
        gc.enable()
