"""From a path to a picture: the order of jobs, large files, stale layouts, moved cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.application import make_session
from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.app.files.opening import read_run
from opentine_gui.app.folder import readable
from opentine_gui.app.state.settings import Settings
from opentine_gui.app.system.jobs import Jobs
from opentine_gui.app.system.watch import NoWatch
from opentine_gui.core.files import storage
from opentine_gui.core.graph import graph as graph_module
from opentine_gui.core.graph.graph import LARGE_STEP
from opentine_gui.core.graph.step_record import decode_step
from opentine_gui.importers import readers
from opentine_gui.scene.space.camera import Camera, to_screen
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a", "d": "b"}
CORPUS = Path(__file__).parent.parent.parent.parent / "data" / "corpus"


def test_a_document_is_there_at_once_and_says_what_it_waits_for(bench: Bench) -> None:
    path = bench.write("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.step()
    document = bench.active
    assert document.loading is not None
    assert document.loading.label == "Reading run.tine"
    assert (document.record, document.picture.layout) == (None, None)
    assert bench.session.enabled("run.fork") == "The run is still being read."
    bench.clock.now += 1.0
    assert bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert document.loading is None
    assert document.picture.layout is not None
    assert document.picture.camera == camera_of_all(document.picture, bench.session.viewport)


def test_steps_that_take_long_to_decode_are_decoded_where_the_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of five steps of 20 MB once held a frame for 110 ms: its cards and rows are made there."""
    path = tmp_path / "large.tine"
    storage.write(path, run_of({"small": "", "a" * LARGE_STEP: "small", "b" * LARGE_STEP: "small"}))
    graph = read_run(path, None, lambda _fraction: None, lambda: False).record.graph
    decoded: list[int] = []
    monkeypatch.setattr(graph_module, "decode_step", lambda raw: decoded.append(len(raw)) or decode_step(raw))
    assert [graph.step(position).inputs["text"][:2] for position in range(3)] == ["sm", "aa", "bb"]
    assert len(decoded) == 1 and decoded[0] < LARGE_STEP


def test_a_file_of_no_known_format_is_told_from_a_damaged_one_and_what_can_be_opened_is_named(
    bench: Bench,
) -> None:
    (bench.folder / "binary.jsonl").write_bytes(bytes(range(256)))
    (bench.folder / "torn.tine").write_bytes(b"{")
    bench.do("file.open", path=bench.folder / "binary.jsonl")
    assert readable.is_unknown(bench.active.error)
    bench.do("file.open", path=bench.folder / "torn.tine")
    assert bench.active.error is not None
    assert not readable.is_unknown(bench.active.error)
    words = readable.readable_words()
    assert all(title in words for title in readers.titles() if title != readable.MESSAGES)
    assert readable.MESSAGES in readers.titles()
    page = (Path(__file__).parents[4] / "docs" / "IMPORT.md").read_text(encoding="utf-8")
    assert "\n## For every format\n" in page, "the section that the words name"


def test_a_step_that_is_asked_for_while_the_file_is_read_is_selected_after_it(bench: Bench) -> None:
    record = run_of(TREE)
    path = bench.write("run.tine", record)
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.step()
    step = named(record, "b")
    bench.session.invoke("file.open", path=Path(f"{path}#{step}"))
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert len(bench.session.documents) == 1
    assert bench.active.selection.primary == step


def test_nothing_changes_when_nothing_happens(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.step()
    revision = bench.session.revision
    assert not bench.step()
    assert bench.session.revision == revision
    assert not bench.session.busy


def test_adding_a_step_leaves_the_card_in_view_where_it_is_on_the_screen(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.do("select.step", step=named(record, "c"))
    bench.do("run.merge", steps=(named(record, "c"), named(record, "d")), accept=True)
    assert document.picture.layout is not None
    for name in TREE:
        assert named(bench.record, name) in document.picture.layout.index


def test_a_long_run_begins_at_its_beginning_at_a_readable_size(bench: Bench) -> None:
    record = run_of({str(number): str(number - 1) if number else "" for number in range(60)})
    document = bench.open("run.tine", record)
    bench.do("fold.every_step")  # one below the other, not in columns
    assert document.picture.camera is not None
    assert document.picture.layout is not None
    assert document.picture.camera.zoom >= 0.35
    x, y = document.picture.layout.position(record.graph.ids[0])
    half = bench.session.viewport.height / 2 / document.picture.camera.zoom
    assert document.picture.camera.x == x
    assert document.picture.camera.y - half < y < document.picture.camera.y


def test_an_empty_run_opens(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({}))
    assert document.error is None
    assert document.picture.layout is not None
    assert bench.session.enabled("select.all") == "This run has no steps."


def test_walking_moves_the_camera_as_little_as_needed_and_not_under_what_lies_over_the_canvas(bench: Bench) -> None:
    record = run_of({str(number): str(number - 1) if number else "" for number in range(60)})
    document = bench.open("run.tine", record)
    bench.do("fold.every_step")  # one below the other, not in columns
    before = document.picture.camera
    bench.do("select.step", step=named(record, "1"))
    bench.do("select.parent")
    assert document.picture.camera == before
    bench.session.covered = 180.0
    bench.do("select.step", step=named(record, "49"))
    bench.do("select.child")
    assert document.picture.camera is not None
    assert before is not None
    assert document.picture.camera.x == before.x
    assert document.picture.layout is not None
    _, y = document.picture.layout.position(named(record, "50"))
    half = bench.session.viewport.height / 2 / document.picture.camera.zoom
    assert document.picture.camera.y + half == pytest.approx(y + 40.0 + (24.0 + 180.0) / document.picture.camera.zoom)


@pytest.mark.parametrize("far", [0.02, 0.9])
def test_a_step_that_is_jumped_to_comes_to_the_middle_of_the_free_canvas_and_reads(bench: Bench, far: float) -> None:
    record = run_of({str(number): str(number - 1) if number else "" for number in range(60)})
    document = bench.open("run.tine", record)
    if far > 0.5:
        bench.do("fold.every_step")  # a picture in columns that can be read moves no more than it must
    bench.session.covered = 180.0
    document.picture.set_camera(Camera(0.0, 0.0, far))
    bench.do("select.step", step=named(record, "50"), reveal=True)
    assert document.picture.camera is not None and document.picture.layout is not None
    assert document.picture.camera.zoom == (far if far >= 0.5 else 0.8)
    viewport = bench.session.viewport
    x, y = to_screen(document.picture.camera, viewport, *document.picture.layout.position(named(record, "50")))
    assert (x, y) == pytest.approx((viewport.width / 2, (viewport.height - 180.0) / 2))


@pytest.mark.parametrize(
    "path", sorted(CORPUS.rglob("*.tine"))[::12], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_files_of_every_release_open_with_a_picture_and_a_verdict(bench: Bench, path: Path) -> None:
    bench.do("file.open", path=path)
    document = bench.active
    if document.error is not None:
        pytest.fail(str(document.error))
    assert document.picture.layout is not None
    assert document.verification is not None
    assert not document.dirty
    for index in range(min(30, len(document.picture.layout.nodes))):
        face = document.face(index)
        assert face.title
        assert face.seal in {"ok", "mismatch", "not_checkable"}


def test_a_real_session_with_threads_comes_to_a_picture(tmp_path: Path) -> None:
    record = run_of({str(number): str(number - 1) if number else "" for number in range(300)})
    path = storage.write(tmp_path / "run.tine", record)
    session = make_session(jobs=Jobs(), watch=NoWatch(), settings=Settings(), environment={}, working_folder=tmp_path)
    try:
        session.invoke("file.open", path=path)
        session.settle()
        assert session.active is not None
        assert session.active.picture.layout is not None
        assert session.active.verification is not None
        assert session.active.verification.ok
        assert [row.title for row in session.runs.rows] == ["run"]
    finally:
        session.close()
