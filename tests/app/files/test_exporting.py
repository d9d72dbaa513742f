"""Exports of what a document shows, by their actions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from PIL import Image

from opentine_gui.app.actions.window import cancel_job
from opentine_gui.app.files.exporting import parts_of, parts_to_ask
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.state.prompts import SaveFile
from opentine_gui.core import Cancelled, encode
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.export import FORMATS, ExportRequest
from opentine_gui.scene.space.camera import Camera
from tests.app.canvas.folded_runs import long_run
from tests.app.conftest import Bench
from tests.app.files.saved_runs import forked
from tests.conftest import named, run_of

LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}
RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


@pytest.fixture
def left(bench: Bench) -> Bench:
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    return bench


def test_the_ending_of_the_name_says_the_form(left: Bench) -> None:
    for ending, start in ((".svg", b"<svg"), (".html", b"<!"), (".png", b"\x89PNG"), (".mmd", b"flowchart")):
        path = left.folder / f"out{ending}"
        left.do("file.export", path=path)
        assert start in path.read_bytes()[:600], ending
    assert left.notices("error") == []
    assert left.notices("good")[-1].endswith("out.mmd")


def test_all_steps_are_exported_as_a_run_of_their_own(left: Bench) -> None:
    target = left.folder / "copy.tine"
    left.do("file.export", path=target)
    copy = storage.read(target)
    assert left.notices("error") == []
    assert sorted(copy.graph.ids) == sorted(left.record.graph.ids)
    assert copy.run_id != left.record.run_id


def test_a_picture_too_large_for_its_format_is_made_as_large_as_fits(
    left: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opentine_gui.export.picture.image.LONGEST_SIDE", 300)
    target = left.folder / "small.png"
    left.do("file.export", path=target)
    with Image.open(target) as picture:
        assert 200 < max(picture.size) <= 300
    assert re.search(r"small.png at \d+% of its size: a PNG holds no more", left.notices("good")[-1])


def test_several_selected_steps_are_exported_alone(left: Bench) -> None:
    record = left.record
    left.do("select.step", step=named(record, "a"))
    left.do("select.add", step=named(record, "b"))
    left.do("file.export", path=left.folder / "part.tine")
    assert storage.read(left.folder / "part.tine").graph.ids == (named(record, "a"), named(record, "b"))


def test_with_a_choice_of_parts_the_user_is_asked_which(left: Bench) -> None:
    record, target = left.record, left.folder / "part.json"
    left.do("select.step", step=named(record, "a"))
    left.do("select.add", step=named(record, "b"))
    left.do("file.export", (target,), "2 selected")
    assert [step["id"] for step in json.loads(target.read_bytes())["steps"]] == [named(record, "a"), named(record, "b")]
    target.unlink()
    left.do("file.export", (target,), "All 4 steps")
    assert len(json.loads(target.read_bytes())["steps"]) == 4
    target.unlink()
    left.do("file.export", (target,), None)
    assert not target.exists()
    left.do("file.export", None)
    assert not target.exists()


def test_every_format_is_offered_at_once_and_only_a_picture_is_asked_what_it_shows(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    cards, steps = len(document.picture.fold or ()), len(bench.record.graph)
    for name in ("long.html", "long.mmd", "long.md", "long.json", "long.dot", "long.graphml"):
        asked = len(bench.prompter.asked)
        bench.do("file.export", (bench.folder / name,))
        assert (bench.folder / name).exists() and len(bench.prompter.asked) == asked + 1, name
    question = bench.prompter.asked[-1]
    assert isinstance(question, SaveFile)
    assert [suffix for suffix, _ in question.forms] == [suffix for form in FORMATS.values() for suffix in form.suffixes]
    bench.do("file.export", (bench.folder / "cards.svg",), f"The {cards} cards as shown")
    bench.do("file.export", (bench.folder / "all.svg",), f"All {steps} steps")
    shown, whole = ((bench.folder / name).read_text().count("<text") for name in ("cards.svg", "all.svg"))
    assert shown < whole
    assert bench.notices("error") == []


def test_where_every_step_has_a_card_a_picture_of_them_is_one_of_all(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold, record = document.picture.fold, bench.record
    assert fold is not None and len(fold) < len(record.graph)
    assert parts_to_ask(document, {"cards": None, "all": None}, Path("x.png")) == ("cards", "all")
    assert parts_to_ask(document, {"cards": None, "all": None}, Path("x.html")) == ("all",)
    while groups := [card for card in range(len(fold)) if fold.is_group(card)]:
        bench.do("fold.open", step=document.picture.step_id(groups[0]))
        fold = document.picture.fold
        assert fold is not None
    assert len(fold) == len(record.graph)
    assert parts_to_ask(document, {"cards": None, "all": None}, Path("x.png")) == ("cards",)


def test_a_flowchart_larger_than_mermaid_draws_is_said_to_be(left: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    left.do("file.export", path=left.folder / "fits.mmd")
    assert left.notices("warning") == []
    monkeypatch.setattr("opentine_gui.export.graphs.MERMAID_CHARACTERS", 50)
    left.do("file.export", path=left.folder / "large.mmd")
    (said,) = left.notices("warning")
    assert "large.mmd, but it is larger than Mermaid draws by itself" in said and "maxTextSize" in said


def test_every_format_has_a_name_of_its_own_that_is_free(left: Bench) -> None:
    (left.folder / "left.svg").write_bytes(b"mine")
    left.do("file.export", None)
    question = left.prompter.asked[-1]
    assert isinstance(question, SaveFile)
    assert question.name == "left-2.svg"
    assert dict(zip(dict(question.forms), question.names, strict=True))[".png"] == "left.png"


def test_what_is_in_view_is_exported_where_it_stands(left: Bench) -> None:
    record, document, target = left.record, left.active, left.folder / "view.graphml"
    whole = parts_of(left.session, document)
    assert "view" not in whole
    left.do("file.export", path=target, part="view")
    assert left.notices("error") == ["Export: everything is in sight"]
    assert not target.exists()
    x, y = document.picture.layout.position(named(record, "b"))  # type: ignore[union-attr]
    document.picture.set_camera(Camera(x, y, left.session.viewport.height / 190))
    left.do("file.export", path=target, part="view")
    graph = nx.parse_graphml(target.read_text())
    seen = parts_of(left.session, document)["view"]
    assert seen is not None
    assert named(record, "b") in seen
    assert 0 < len(seen) < 4
    assert set(graph) == set(seen)
    assert (graph.nodes[named(record, "b")]["x"], graph.nodes[named(record, "b")]["y"]) == (x, y)


def test_several_selected_steps_have_to_be_there_to_be_exported(left: Bench) -> None:
    left.do("select.step", step=named(left.record, "a"))
    left.do("file.export", path=left.folder / "one.svg", part="selection")
    assert left.notices("error") == ["Export: there are not several steps selected"]


def test_an_export_tells_how_far_it_is_and_stops_when_asked(left: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    target, session = left.folder / "run.html", left.session
    told: list[tuple[str, float]] = []

    def stopped_midway(_request: ExportRequest, _form: str, *, progress: Progress, cancelled: Stop) -> bytes:
        progress(0.4)
        assert not cancelled()
        (job,) = session.jobs.running()
        told.append((job.title, job.fraction))
        cancel_job(session, job.key)
        assert cancelled()
        raise Cancelled("the work was stopped")

    monkeypatch.setattr("opentine_gui.export.formats.export", stopped_midway)
    left.do("file.export", path=target)
    assert told == [("Exporting run.html", 0.4)]
    assert left.notices() == ["Export stopped; run.html was not written."]
    assert not target.exists()


def test_the_user_is_asked_where_and_before_a_file_is_replaced(left: Bench) -> None:
    target = left.folder / "picture.svg"
    target.write_bytes(b"mine")
    left.do("file.export", (target,), "Keep it")
    assert target.read_bytes() == b"mine"
    left.do("file.export", (target,), "Replace")
    assert b"<svg" in target.read_bytes()


def test_the_proposed_name_is_that_of_the_run_if_it_is_free(left: Bench) -> None:
    assert suggested_name(left.active, left.folder, ".svg") == "left.svg"
    (left.folder / "left.svg").write_bytes(b"mine")
    assert suggested_name(left.active, left.folder, ".svg") == "left-2.svg"
    assert suggested_name(left.active, left.folder, "-card.svg") == "left-card.svg"


def test_the_open_file_is_never_exported_over(left: Bench) -> None:
    path = left.folder / "left.tine"
    before = path.read_bytes()
    left.do("file.export", path=path)
    assert path.read_bytes() == before
    assert "never overwritten" in left.notices("error")[0]


def test_a_form_that_does_not_exist_is_named(left: Bench) -> None:
    left.do("file.export", path=left.folder / "run.docx")
    assert "docx" in left.notices("error")[0]
    assert not (left.folder / "run.docx").exists()


def test_a_comparison_is_exported_whole_and_as_its_card(left: Bench) -> None:
    left.open("right.tine", run_of(RIGHT, run_id="right"))
    assert left.session.enabled("file.export_card") == "Compare two runs first."
    left.do("compare.open")
    left.do("file.export", path=left.folder / "both.json")
    assert json.loads((left.folder / "both.json").read_bytes())
    card = left.folder / "card.md"
    left.do("file.export_card", path=card)
    assert left.notices("error") == []
    assert "right" in card.read_text()
    drawn = left.folder / "card.svg"
    left.do("file.export_card", path=Path(drawn))
    assert b"<svg" in drawn.read_bytes()[:600]


def test_the_card_of_a_comparison_is_saved_as_a_picture_where_every_step_has_a_card_of_its_own(bench: Bench) -> None:
    bench.open("one.tine", long_run())
    bench.open("other.tine", run_of(RIGHT, run_id="right"))
    bench.do("compare.open")
    document = bench.active
    fold = document.picture.fold
    while fold is not None and (groups := [card for card in range(len(fold)) if fold.is_group(card)]):
        bench.do("fold.open", step=document.picture.step_id(groups[0]))
        fold = document.picture.fold
    assert fold is not None and len(fold) == len(bench.record.graph)
    for name, start in (("card.png", b"\x89PNG"), ("card.svg", b"<svg"), ("card.md", b"# ")):
        asked = len(bench.prompter.asked)
        bench.do("file.export_card", (bench.folder / name,))
        assert len(bench.prompter.asked) == asked + 1, "where to, and nothing more"
        assert start in (bench.folder / name).read_bytes()[:600]
    assert bench.notices("error") == []


def test_the_writers_of_the_formats_are_not_loaded_before_something_is_exported() -> None:
    code = (
        "import sys, opentine_gui.ui.main; from opentine_gui.app.actions import all_actions; all_actions(); "
        "print([name for name in sys.modules if name.startswith(('PIL', 'opentine_gui.export'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_writers_are_loaded_beside_a_window_that_shows_a_run(tmp_path: Path) -> None:
    path = tmp_path / "run.tine"
    path.write_bytes(encode(run_of(LEFT)))
    code = (
        "import sys; from pathlib import Path; from tests.app.conftest import Bench; "
        f"bench = Bench(Path({str(tmp_path)!r})); bench.session.step(); "
        "before = 'opentine_gui.export' in sys.modules; "
        f"bench.do('file.open', path=Path({str(path)!r})); bench.session.settle(); bench.session.step(); "
        "print(before, 'opentine_gui.export' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False True"


@pytest.mark.skipif(os.name == "nt", reason="there is no umask")
def test_an_export_is_as_readable_as_the_umask_says_and_a_run_is_its_owners_alone(left: Bench) -> None:
    before = os.umask(0o022)
    try:
        for name in ("run.svg", "run.md", "steps.tine"):
            left.do("file.export", path=left.folder / name, part="all")
    finally:
        os.umask(before)
    modes = [(left.folder / name).stat().st_mode & 0o777 for name in ("run.svg", "run.md", "steps.tine")]
    assert modes == [0o644, 0o644, 0o600]


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("action", ["file.export", "file.save_as", "file.save_copy"])
def test_no_way_of_writing_replaces_what_a_fork_was_made_from(bench: Bench, action: str, is_open: bool) -> None:
    before = forked(bench)
    if not is_open:
        bench.do("file.close", document=bench.session.documents[0].number)
    path = bench.folder / "run.tine"
    if action == "file.save_copy":
        bench.do(action, (path,), "Replace")
    else:
        bench.do(action, **({"path": path, "part": "all"} if action == "file.export" else {"path": path}))
    assert "an original is never overwritten" in bench.notices("error")[0]
    assert path.read_bytes() == before


def test_a_run_is_not_exported_over_another_tab_or_over_itself(bench: Bench) -> None:
    bench.open("other.tine", run_of({"other": ""}, run_id="other"))
    bench.open("run.tine", run_of({"a": "", "b": "a"}))
    before = {name: (bench.folder / name).read_bytes() for name in ("run.tine", "other.tine")}
    for name, said in (("other.tine", "open in another tab"), ("run.tine", "is never overwritten")):
        bench.do("file.export", path=bench.folder / name, part="all")
        assert said in bench.notices("error")[-1]
    assert before == {name: (bench.folder / name).read_bytes() for name in before}
