"""Two runs are compared."""

from __future__ import annotations

import shutil

from opentine_gui.app.actions.several_runs.compare import COMPARED, ONE_RUN
from opentine_gui.app.state.prompts import Choose
from tests.app.actions.conftest import RECORDED, cases_of, compared, covers, opened, opened_two, overlay_of, selected
from tests.app.conftest import Bench
from tests.conftest import named, run_of


@covers("compare.open")
def shows_a_run_over_its_source(bench: Bench) -> None:
    assert bench.session.enabled("compare.open") is not None
    opened(bench, "c")
    bench.do("run.fork", accept=True)
    bench.do("compare.open")
    assert bench.active.title == "Compare run and Fork of run"
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    assert (len(comparison.shared), len(comparison.only_a), len(comparison.only_b)) == (3, 3, 0)
    documents = len(bench.session.documents)
    bench.do("compare.open", a=bench.session.documents[0].number, b=bench.session.documents[1].number)
    assert len(bench.session.documents) == documents


def test_the_source_is_a_whichever_way_a_comparison_is_asked_for(bench: Bench) -> None:
    opened(bench, "c")
    source = bench.active
    bench.do("run.fork", accept=True)
    fork = bench.active
    bench.do("run.fork", step=bench.record.graph.ids[0], accept=True)
    bench.do("runs.compare", run=source.number)
    assert bench.active.title == "Compare run and Fork 2 of run", "over two forks"
    bench.session.activate(fork)
    bench.do("runs.compare", run=source.number)
    assert bench.active.title == "Compare run and Fork of run"
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    assert comparison.a is source.record
    bench.do("compare.swap")
    assert bench.active.title == "Compare Fork of run and run"


def test_two_runs_that_are_not_made_from_each_other_stand_as_they_were_asked_for(bench: Bench) -> None:
    opened_two(bench)
    left, right = bench.session.documents
    bench.do("compare.open", a=right.number, b=left.number)
    assert bench.active.title == f"Compare {right.title.removesuffix('.tine')} and {left.title.removesuffix('.tine')}"


@covers("compare.pick")
def asks_for_the_other_run(bench: Bench) -> None:
    opened_two(bench)
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    bench.do("compare.pick", "left")
    question = bench.prompter.asked[-1]
    assert isinstance(question, Choose)
    assert set(question.items) == {"left", "right"}
    assert bench.active.title == "Compare third and left"
    assert question.details == ("", ""), "they are called by their files"


def test_runs_to_compare_with_are_called_as_in_the_list(bench: Bench) -> None:
    recorded = sorted((RECORDED.parents[1] / "2.1.197-e-fork").rglob("projects/*/*.jsonl"))
    for name, path in (("0f3a", recorded[0]), ("9b21", recorded[0]), ("c7d0", recorded[1])):
        shutil.copy(path, bench.folder / f"{name}.jsonl")
    bench.write("named.tine", run_of({"a": ""}, run_id="named"))
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("compare.pick", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Choose)
    rows = {row.path.name: row for row in bench.session.runs.rows}
    title, asked = rows["0f3a.jsonl"].title, rows["0f3a.jsonl"].asked_last
    assert title == rows["c7d0.jsonl"].title and asked not in ("", title)
    called = dict(zip(question.details, question.items, strict=True))
    assert called[""] == "named", "which is its file"
    assert {called["0f3a.jsonl"], called["9b21.jsonl"]} == {f"{title}, then {asked}", f"{title}, then {asked} (2)"}
    assert called["c7d0.jsonl"].startswith(title) and called["c7d0.jsonl"] not in (title, called["0f3a.jsonl"])
    bench.do("compare.pick", called["0f3a.jsonl"])
    assert bench.active.title == f"Compare third and {title}"


def test_one_run_alone_is_compared_with_none_though_its_folder_lists_it(bench: Bench) -> None:
    (bench.folder / "broken.tine").write_bytes(b"{")
    bench.open("one.tine", run_of({"a": ""}))
    assert len(bench.session.runs.rows) == 2
    for action in ("compare.open", "compare.pick"):
        assert bench.session.enabled(action) == ONE_RUN
    bench.write("two.tine", run_of({"b": ""}))
    bench.session.runs.scan(bench.session)
    bench.session.settle()
    assert bench.session.enabled("compare.pick") is None


def test_two_that_are_compared_are_not_compared_again_by_the_same_key(bench: Bench) -> None:
    compared(bench)
    bench.do("compare.open")
    assert bench.notices() == [f"Compare with its source: {COMPARED}"]
    bench.do("compare.flip")
    assert bench.session.enabled("compare.open") == COMPARED
    assert bench.session.enabled("compare.open", a=bench.session.documents[0].number) is None


def test_a_shown_run_that_was_closed_is_compared_by_its_file_or_as_it_was_last(bench: Bench) -> None:
    opened(bench, "c")
    source = bench.active
    bench.do("run.fork", accept=True)
    fork = bench.active
    bench.do("compare.open")
    both = bench.active
    bench.session.activate(fork)
    bench.do("run.add_step", step=bench.record.graph.ids[0], accept=True)
    last = fork.record
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    bench.do("file.close", document=source.number)
    bench.do("file.close", "Don't save", document=fork.number)
    bench.session.activate(both)
    for lit, title in ((0, "Compare run and third"), (1, "Compare Fork of run and third")):
        bench.do("family.light_run", run=lit)
        bench.do("compare.pick", "third")
        assert bench.active.title == title
        compared_with_it = overlay_of(bench).family.records[0]
        bench.session.activate(both)
    assert compared_with_it is last


def test_what_a_file_holds_is_compared_with_another_run(bench: Bench) -> None:
    bench.write("other.tine", run_of({"z": ""}, run_id="other"))
    bench.open("run.tine", run_of({"a": "", "b": "a"}))
    bench.do("run.add_step", step=bench.record.graph.ids[1], accept=True)
    bench.do("compare.with_file")
    held = overlay_of(bench).family.records[0]
    bench.do("compare.pick", "other")
    assert bench.active.title == "Compare run on disk and other"
    assert overlay_of(bench).family.records[0].graph.ids == held.graph.ids


@covers("compare.with_file")
def shows_what_the_file_holds_beside_what_is_open(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    assert bench.session.enabled("compare.with_file") == "It is as its file has it."
    bench.do("run.add_step", step=named(record, "b"), accept=True)
    bench.write("run.tine", run_of({"a": "", "theirs": "a"}))
    mine = bench.record
    bench.do("compare.with_file")
    assert bench.active.title == "Compare run on disk and run"
    found = overlay_of(bench).comparison
    assert found is not None
    assert found.a.graph.ids == run_of({"a": "", "theirs": "a"}).graph.ids
    assert found.b.graph.ids == mine.graph.ids


@covers("compare.swap")
def lets_the_two_change_places_without_moving_anything(bench: Bench) -> None:
    before = compared(bench)
    layout = bench.active.picture.layout
    bench.do("compare.swap")
    after = overlay_of(bench).comparison
    assert after is not None
    assert (after.a, after.b) == (before.b, before.a)
    assert bench.active.title == "Compare right and left"
    assert bench.active.picture.layout is layout
    assert [run.letter for run in overlay_of(bench).runs] == ["B", "A"]


@covers("compare.flip")
def looks_at_one_side_and_then_at_the_other(bench: Bench) -> None:
    compared(bench)
    layout = bench.active.picture.layout
    dimmed = []
    for _ in range(3):
        assert bench.press("Tab")
        bench.session.settle()
        dimmed.append({bench.active.step(place).inputs["text"] for place in overlay_of(bench).dimmed or ()})
    assert dimmed == [{"e", "f"}, {"c", "xd"}, {"e", "f"}]
    assert bench.active.picture.layout is layout
    bench.do("view.dismiss")
    assert overlay_of(bench).dimmed is None
    assert bench.session.view.panels


@covers("compare.next")
def goes_round_among_the_divergences(bench: Bench) -> None:
    bench.open("left.tine", run_of({"a": "", "b": "a", "c": "a", "d": "b"}, run_id="left"))
    bench.open("right.tine", run_of({"a": "", "b": "a", "c": "a", "e": "c", "f": "b"}, run_id="right"))
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    assert len(comparison.root_divergences) == 2
    seen = []
    for _ in range(3):
        assert bench.press("N")
        bench.session.settle()
        seen.append(overlay_of(bench).divergence)
        assert bench.active.selection.primary in comparison.root_divergences[seen[-1]].causes
    assert seen == [0, 1, 0]


@covers("compare.previous")
def goes_back_among_the_divergences(bench: Bench) -> None:
    bench.open("left.tine", run_of({"a": "", "b": "a", "c": "a", "d": "b"}, run_id="left"))
    bench.open("right.tine", run_of({"a": "", "b": "a", "c": "a", "e": "c", "f": "b"}, run_id="right"))
    bench.do("compare.open")
    bench.do("compare.next")
    assert bench.press("Shift+N")
    bench.session.settle()
    assert overlay_of(bench).divergence == 1


@covers("compare.show")
def goes_to_a_divergence_by_its_number(bench: Bench) -> None:
    compared(bench)
    bench.do("compare.show", divergence=1)
    assert selected(bench) == ["e", "c"]


@covers("compare.copy_markdown")
def copies_where_the_runs_part(bench: Bench) -> None:
    comparison = compared(bench)
    bench.do("compare.copy_markdown")
    text = bench.copied[-1]
    assert text.startswith("## left and right: They part here")
    assert "After b the two runs do different work." in text or "After b a step was changed." in text
    assert "| Outcome | failed | completed |" in text
    assert all(step in text for step in comparison.root_divergences[0].causes)


@covers("compare.close")
def closes_the_comparison_and_leaves_its_runs_open(bench: Bench) -> None:
    compared(bench)
    bench.do("compare.close")
    assert [document.title for document in bench.session.documents] == ["left.tine", "right.tine"]
    assert bench.session.enabled("compare.close") is not None


test_the_action_does_what_it_says = cases_of(__name__)
