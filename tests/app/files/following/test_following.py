"""A session that is open while its agent writes it: what is new comes, what the user set up stays."""

from __future__ import annotations

import gc
import os
from itertools import islice, pairwise
from weakref import ref

import pytest

from bench.session_lines import session_lines
from opentine_gui.app.canvas import shown_layouts
from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.app.document.picture import card_faces, folded_run
from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.files import opening
from opentine_gui.app.files.following import is_live, is_written
from opentine_gui.app.inspect.facts import run_facts
from opentine_gui.app.inspect.step.source_records import source_sections
from opentine_gui.core import Graph
from opentine_gui.core.files import storage
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.structure import Structure
from opentine_gui.importers import readers
from opentine_gui.importers.growing.claude_code import GrowingSession
from opentine_gui.importers.reading import Place
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.space.camera import Camera, Viewport, view_rect
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, append, chain, live, named, step
from tests.conftest import run_of


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))


def test_a_session_is_a_document_whose_source_is_never_written(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    before = path.read_bytes()
    assert bench.active.origin is not None
    assert not bench.active.dirty
    bench.do("file.save", None)
    assert bench.prompter.asked[-1].name == "session.tine"
    bench.do("file.save_as", path=path, overwrite=True)
    assert "never written" in bench.notices("error")[0]
    bench.do("file.save", (bench.folder / "kept.tine",))
    assert storage.read(bench.folder / "kept.tine").graph.ids == bench.record.graph.ids
    assert path.read_bytes() == before
    assert bench.active.origin is None


def test_new_steps_come_quietly_and_what_the_user_set_up_stays(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    document = bench.active
    bench.do("select.step", step=named(bench, "b"))
    bench.do("canvas.move_steps", pins={named(bench, "b"): (300.0, 300.0)})
    bench.do("step.note", step=named(bench, "b"), text="look here")
    camera = document.picture.camera
    append(bench, path, step("d", "c") + step("e", "b"))
    assert len(bench.record.graph) == 5
    assert document.selection.ids == (named(bench, "b"),)
    assert document.picture.layout is not None
    assert document.picture.layout.position(named(bench, "b")) == (300.0, 300.0)
    assert document.picture.camera == camera
    assert document.live.news == (named(bench, "d"), named(bench, "e"))
    assert not bench.notices()
    assert not document.dirty
    bench.do("edit.undo")
    assert len(bench.record.graph) == 5
    assert not document.annotations
    bench.do("live.show_new")
    assert not document.live.news


def test_a_line_that_is_still_being_written_is_not_read_yet(bench: Bench) -> None:
    path = live(bench, chain("ab"))
    line = step("c", "b")
    append(bench, path, line[:9])
    assert len(bench.record.graph) == 2
    append(bench, path, line[9:])
    assert len(bench.record.graph) == 3
    assert bench.active.origin is not None
    assert bench.active.origin.report is not None
    assert bench.active.origin.report.bad_lines == 0


def test_a_step_whose_rest_arrives_keeps_its_selection_note_and_place(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    open_call = named(bench, "c")
    bench.do("select.step", step=open_call)
    bench.do("step.note", step=open_call, text="slow")
    bench.do("canvas.move_steps", pins={open_call: (500.0, 400.0)})
    append(bench, path, b'{"tiny": "c", "result": "done"}\n')
    document, closed = bench.active, named(bench, "c")
    assert closed != open_call
    assert document.selection.ids == (closed,)
    assert document.annotations[closed].note == "slow"
    assert document.picture.layout is not None
    assert document.picture.layout.position(closed) == (500.0, 400.0)
    assert document.live.news == ()


def test_following_keeps_the_newest_step_in_view(bench: Bench) -> None:
    path = live(bench, chain("ab"))
    bench.do("live.follow")
    names = [f"s{number}" for number in range(40)]
    append(bench, path, step("s0", "b") + b"".join(step(one, above) for above, one in pairwise(names)))
    document = bench.active
    assert document.picture.camera is not None
    assert document.picture.layout is not None
    assert document.live.news == ()
    _x, y = document.picture.layout.position(named(bench, "s39"))
    half = bench.session.viewport.height / 2 / document.picture.camera.zoom
    assert abs(y - document.picture.camera.y) < half


def test_a_session_that_is_followed_from_the_start_shows_its_end_at_once(bench: Bench) -> None:
    path = bench.folder / "session.jsonl"
    path.write_bytes(chain(f"s{number}" for number in range(12)))
    document = opening.open_path(bench.session, path)
    document.live.follows = True
    document.picture.refit_on_layout = False
    document.picture.set_camera(Camera(0.0, -5000.0, 1.0))  # a first view in which the end is not
    bench.session.settle()
    assert document.record is not None and document.picture.layout is not None and document.picture.camera is not None
    x, y = document.picture.layout.position(named(bench, "s11"))
    left, top, right, bottom = view_rect(document.picture.camera, bench.session.viewport)
    assert left < x < right and top < y < bottom


def test_a_session_that_is_cut_or_replaced_is_said_to_be(bench: Bench) -> None:
    path = live(bench, chain("abcdefgh"))
    path.write_bytes(chain("ab"))
    append(bench, path, b"")
    assert len(bench.record.graph) == 2
    assert "lost 6 steps" in bench.notices("info")[0]
    path.unlink()
    path.write_bytes(chain("xyz"))
    append(bench, path, b"")
    assert len(bench.record.graph) == 3
    assert "was replaced by another run" in bench.notices("info")[-1]


def test_a_session_that_was_cut_and_written_again_has_the_picture_it_would_be_opened_with(bench: Bench) -> None:
    lines = list(islice(session_lines(2_000_000), 240))
    bench.session.viewport = Viewport(620, 320)
    path = live(bench, b"".join(lines))
    assert bench.active.picture.fold is not None
    opened = bench.active.picture.fold.layout.nodes
    bench.do("file.close")
    path = live(bench, b"".join(lines[:60]))  # too long for the canvas, so it is in columns like a folded one
    document = bench.active
    assert document.folding.overflows
    for cut in (14, 60):
        for content in (lines[:cut], lines):
            path.write_bytes(b"".join(content))
            append(bench, path, b"")
        assert document.picture.fold is not None
        assert document.picture.fold.layout.nodes == opened
        assert document.picture.camera == camera_of_all(document.picture, bench.session.viewport)


def test_an_edited_session_keeps_its_edits_while_the_source_grows(bench: Bench) -> None:
    path = live(bench, chain("abc") + step("d", "a"))
    bench.do("run.merge", steps=(named(bench, "c"), named(bench, "d")), accept=True)
    append(bench, path, step("e", "c"))
    assert len(bench.record.graph) == 5
    assert bench.active.dirty
    assert "unsaved edits" in bench.notices("warning")[0]


@pytest.mark.parametrize("dismissed", [True, False])
def test_of_an_edited_session_that_grows_it_is_asked_once_what_to_do(bench: Bench, dismissed: bool) -> None:
    path = live(bench, chain("abc"))
    document = bench.active
    bench.do("run.edit_details", title="mine", accept=True)
    append(bench, path, step("d", "c"))
    (asked,) = bench.session.notices.list()
    assert asked.text == "mine has changed on disk, and it has unsaved edits here.", "the agent is nobody else"
    (keep,) = [(action, given) for label, action, given in asked.actions if label == "Keep mine"]
    if dismissed:
        bench.do(keep[0], **keep[1])
    for name in "efg":
        append(bench, path, step(name, "c"))
        assert [notice.text for notice in bench.session.notices.list()] == [asked.text] * (not dismissed)
    assert len(bench.record.graph) == 3
    assert document.on_disk.changed
    bench.do("file.reload", "Reload")
    assert len(bench.record.graph) == 7
    assert not bench.notices()
    bench.do("run.edit_details", title="mine again", accept=True)
    append(bench, path, step("h", "c"))
    assert len(bench.notices("warning")) == 1, "these are other edits"


def test_a_tine_file_that_grows_is_followed_too(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    bench.write("run.tine", run_of({"a": "", "b": "a", "c": "b", "d": "c"}))
    bench.watch.post([bench.folder / "run.tine"])
    bench.session.settle()
    assert len(document.live.news) == 2
    assert not bench.notices()


def test_a_large_session_rests_after_each_reading(bench: Bench) -> None:
    path = live(bench, chain("ab"))
    bench.active.on_disk.look_after = bench.clock.now + 3.0
    append(bench, path, step("c", "b"))
    assert len(bench.record.graph) == 2
    bench.clock.now += 4.0
    bench.session.settle()
    assert len(bench.record.graph) == 3


def test_the_run_panel_says_what_reading_came_to(bench: Bench) -> None:
    live(bench, chain("ab") + b'{"tiny": 1, "kind": "mode"}\n{broken\n')
    facts = run_facts(bench.active, bench.record, lambda text: [text], ())
    said = {fact.label.strip(): fact.value for fact in facts}
    assert said["read as"] == "Tiny, read only"
    assert said["not understood"] == "1 line"
    assert said["mode"] == "1"
    assert (said["records"], said["in steps"], said["in no step"]) == ("4", "2 in 2 steps", "1"), "it adds up"


def test_a_steps_records_are_read_from_the_source_or_reported_as_gone(bench: Bench) -> None:
    path = live(bench, chain("ab"))
    origin = bench.active.origin
    assert origin is not None
    places = origin.places[named(bench, "b")]
    (section,) = source_sections(places)
    assert section.value == {"tiny": "b", "text": "b", "parent": "a"}
    assert section.heading == f"session.jsonl, offset {len(step('a'))}"
    path.write_bytes(b"x" * 200)
    assert "changed since" in source_sections(places)[0].value
    path.write_bytes(b"")
    assert "cut or replaced" in source_sections(places)[0].value
    path.unlink()
    assert "not there any more" in source_sections(places)[0].value
    assert "as a whole" in source_sections([Place(path, 0, 0)])[0].value
    bench.do("inspect.source", step=named(bench, "a"))
    assert bench.session.view.reading
    assert bench.session.view.inspector_tab == "Record"


def test_what_was_read_of_a_session_is_not_read_again(bench: Bench) -> None:
    lines = list(islice(session_lines(400_000), 110))
    path = live(bench, b"".join(lines[:60]))
    document = bench.active
    append(bench, path, lines[60])
    assert document.live.reader is not None
    reads = document.live.reader[1]
    assert isinstance(reads, GrowingSession)
    before = reads.lines
    for line in lines[61:]:
        append(bench, path, line)
    assert document.live.reader[1] is reads
    assert reads.lines - before < 12 * 49
    assert list(bench.record.graph.ids) == list(readers.read_run(path).graph.ids)


def test_a_file_that_grows_all_the_time_is_read_a_few_times_a_second(bench: Bench) -> None:
    path = live(bench, chain("a"))
    names = [f"s{number}" for number in range(100)]
    states = set()
    for above, one in pairwise(["a", *names]):
        with path.open("ab") as file:
            file.write(step(one, above))
        bench.watch.post([path])
        bench.clock.now += 0.04
        bench.session.settle()
        states.add(len(bench.record.graph))
    assert 5 <= len(states) <= 25
    bench.clock.now += 1.0
    bench.session.settle()
    assert len(bench.record.graph) == 101


def test_while_a_run_grows_the_face_of_a_step_is_made_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    plain = card_faces.card_face

    def counting(graph: Graph, index: int) -> CardFace:
        made.append(graph.ids[index])
        return plain(graph, index)

    monkeypatch.setattr(card_faces, "card_face", counting)
    path = live(bench, chain("abc"))
    document = bench.active

    def faces() -> list[CardFace]:
        return [document.face(index) for index in range(len(bench.record.graph))]

    faces()
    append(bench, path, step("d", "c") + step("e", "d"))
    faces()
    assert len(made) == len(set(made)) == 5
    bench.do("step.note", step=named(bench, "b"), text="look here")
    assert [flag.text for flag in faces()[1].flags] == ["look here"]
    before = named(bench, "e")
    append(bench, path, b'{"tiny": "e", "result": "done"}\n')
    faces()
    assert made[5:] == [named(bench, "e")] != [before]


def test_cards_of_a_growing_folded_run_take_their_places_at_once_and_old_faces_stay(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = list(islice(session_lines(2_000_000), 600))
    path = live(bench, b"".join(lines[:480]))
    document = bench.active
    bench.session.settings.motion = True
    slid: list[object] = []
    monkeypatch.setattr(shown_layouts, "slide_between", lambda *given: slid.append(given))
    append(bench, path, lines[480])
    append(bench, path, lines[481])  # it is not verified while it grows
    assert document.picture.fold is not None
    shown = {number: document.face(number) for number in range(len(document.picture.fold))}
    made: list[int] = []
    plain = folded_run.group_face

    def counting(structure: Structure, card: Card, steps: list[int]) -> CardFace:
        made.append(card.name)
        return plain(structure, card, steps)

    monkeypatch.setattr(folded_run, "group_face", counting)
    for line in lines[482:540]:
        append(bench, path, line)
    assert not slid
    assert document.picture.fold is not None
    kept = [one.graph for one in document.folding.structures]
    assert kept == [bench.record.graph], "no undo leads to what it was before"
    assert len(made) < 58
    assert document.face(1) is shown[1]
    afresh = CardFaces(bench.record, None, fold=replace_faces(document.picture.fold), written=True)
    assert [document.face(number) for number in range(len(document.picture.fold))] == [
        afresh.face(number) for number in range(len(document.picture.fold))
    ]
    bench.do("select.step", step=bench.record.graph.ids[document.picture.fold.card(1).name])
    bench.do("fold.open")
    assert slid, "what the user opens slides"


def replace_faces(fold: FoldedRun) -> FoldedRun:
    """The same folded run with no face made."""
    return FoldedRun(fold.structure, fold.state, fold.cards, fold.card_of, fold.layout)


def test_a_log_that_grows_in_a_tab_behind_keeps_no_run_that_it_was(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    document, before = bench.active, ref(bench.record.graph)
    bench.open("other.tine", run_of({"a": ""}))
    assert bench.active is not document
    append(bench, path, step("d", "c"))
    assert document.record is not None and len(document.record.graph) == 4
    gc.collect()
    assert before() is None


def test_a_session_that_was_saved_is_not_said_to_be_written_and_is_followed_no_more(bench: Bench) -> None:
    path = live(bench, chain("abc"))
    for number in range(2):
        append(bench, path, step(f"d{number}", "c"))
    bench.do("live.follow", follow=True)
    assert is_written(bench.session, bench.active)
    kept = bench.folder / "kept.tine"
    bench.do("file.save_as", path=kept)
    document = bench.active
    assert document.path == kept
    assert not is_live(bench.session, document)
    assert not document.live.follows
    assert document.on_disk.saved == document.on_disk.fingerprint == storage.fingerprint(kept)


def test_a_file_that_is_as_it_was_saved_here_is_not_being_written(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    os.utime(bench.folder / "run.tine", (bench.session.now(), bench.session.now()))
    document.on_disk.fingerprint = storage.fingerprint(bench.folder / "run.tine")
    assert is_written(bench.session, document), "by somebody else"
    document.on_disk.saved = document.on_disk.fingerprint
    assert not is_written(bench.session, document)
