"""What is worked out about a run: once for each graph, again when it changes, and given up once when it fails."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from opentine_gui.app.inspect.analysis.file_lines import file_lines
from opentine_gui.app.inspect.analysis.file_page import PageLine, file_page
from opentine_gui.app.inspect.analysis.file_rows import touched_of
from opentine_gui.app.inspect.analysis.findings import Findings, findings_about
from opentine_gui.app.inspect.analysis.results import analysis
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.fork_points import ForkPoint, Why
from opentine_gui.core.analysis.suspicion.suspects import Suspicion
from opentine_gui.core.progress import Pace
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording, failing_session, session_of_edits


def test_it_is_worked_out_once_and_its_failure_is_reported_once(bench: Bench) -> None:
    document = bench.open("edits.tine", session_of_edits())
    asked: list[object] = []

    def work(record: RunRecord, _pace: Pace, _latest: Any) -> int:
        asked.append(record)
        return len(record.graph)

    def broken(_record: RunRecord, _pace: Pace, _latest: Any) -> int:
        asked.append(None)
        raise ValueError("no")

    assert analysis(bench.session, document, "count", work) is None
    bench.session.settle()
    assert analysis(bench.session, document, "count", work) == 9
    assert len(asked) == 1
    for _ in range(3):
        assert analysis(bench.session, document, "broken", broken) is None
        bench.session.settle()
    assert len(asked) == 2
    assert len(bench.notices("warning")) == 1


def test_one_that_was_stopped_does_not_begin_again_before_the_run_changes(bench: Bench) -> None:
    document = bench.open("edits.tine", session_of_edits())
    bench.session.settle()
    bench.jobs.hold = True

    def work(record: RunRecord, _pace: Pace, _latest: Any) -> int:
        return len(record.graph)

    assert analysis(bench.session, document, "count", work) is None
    bench.session.invoke("job.cancel", key=f"count:{document.number}")
    bench.session.step()
    assert analysis(bench.session, document, "count", work) is None and bench.jobs.idle
    assert bench.notices("warning") == []


def test_what_was_found_does_not_keep_a_run_alive(bench: Bench) -> None:
    document = bench.open("edits.tine", failing_session())
    bench.session.settle()
    assert touched_of(bench.session, document) is not None
    assert document.record is not None
    graph = weakref.ref(document.record.graph)
    bench.do("file.close")
    bench.session.closed_tabs.clear()
    del document
    gc.collect()
    assert graph() is None


def test_the_end_that_failed_has_the_first_suspects_beside_it(bench: Bench) -> None:
    document = bench.open("failing.tine", failing_session())
    bench.session.settle()
    assert document.record is not None
    ids = document.record.graph.ids
    found = findings_about(bench.session, document, ids[7])
    assert [row.step for row in found.suspects][:1] == [ids[3]]
    assert found.passed == ids[2]
    assert found.passed_fork == f"keeps 3 steps, drops {len(ids) - 3}"
    assert findings_about(bench.session, document, ids[3]).place.startswith("suspect 1 of")
    assert "before a refused call" in findings_about(bench.session, document, ids[4]).fork


def test_the_pages_of_a_file_say_who_wrote_a_line_and_what_each_turn_changed() -> None:
    graph = session_of_edits().graph
    file = touched_files(graph).file("a.py")
    assert file is not None
    page = file_page(graph, file, 8)
    assert [(line.text, line.step) for line in page.text] == [("def f():", -1), ("    return 3", 7), ("# end", -1)]
    assert page.text[1].note == "step 8 · Now for three"
    turns = [line.text for line in page.changes if line.kind == "turn"]
    assert turns == ["Make it two", "Make it three"]
    changed = [(line.kind, line.text) for line in page.changes if line.kind in ("removed", "added")]
    assert changed == [
        ("removed", "    return 1"), ("added", "    return 2"), ("removed", "    return 2"), ("added", "    return 3"),
    ]  # fmt: skip
    assert page.writers == (3, 7)


def test_a_file_that_is_written_only_later_leads_to_the_step_that_does() -> None:
    graph = session_of_edits().graph
    file = touched_files(graph).file("notes.md")
    assert file is not None
    page = file_page(graph, file, 3)
    for lines in (page.text, page.changes):
        (link,) = (line for line in lines if line.step >= 0)
        assert (link.text, link.step) == ("It is first changed later, here:", 8)
    assert page.begins == (-1, -1) and not page.is_only_changes
    written = file_page(graph, file, 8)
    assert all("later" not in line.text for line in (*written.text, *written.changes))


def test_the_changes_of_a_long_file_are_numbered_as_in_the_file_however_far_apart_they_are() -> None:
    run, text = Recording(), [f"line {number}" for number in range(1, 1201)]
    run.ask("Write it")
    run.call("Write", {"file_path": "/w/a.py", "content": "\n".join(text)}, "ok")
    run.ask("Change it")
    for old, new in (("line 1100", "line 1100\n"), ("line 7\n", "other 7\n"), ("line 600\n", "")):
        run.call("Edit", {"file_path": "/w/a.py", "old_string": old, "new_string": new}, "ok")
    graph = run.record().graph
    file = touched_files(graph).file("a.py")
    assert file is not None
    page = file_page(graph, file, 5)
    turn = [line.text for line in page.changes].index("Change it")
    changed = [
        (line.kind, line.number, line.text, line.step)
        for line in page.changes[turn:]
        if line.kind in ("removed", "added", "rest")
    ]
    assert changed == [
        ("removed", 7, "line 7", -1), ("added", 7, "other 7", 4), ("rest", 0, "586 lines as before", -1),
        ("removed", 600, "line 600", -1), ("rest", 0, "494 lines as before", -1), ("added", 1100, "", 3),
    ]  # fmt: skip
    assert [line.number for line in page.changes[turn + 1 : turn + 4]] == [4, 5, 6]
    assert page.begins[0] == 599, "what the last step took out stood before this line"


def test_a_file_that_only_others_have_read_is_said_to_be_unknown_on_this_way() -> None:
    run = Recording()
    first = run.ask("Look at it")
    run.call("Read", {"file_path": "/w/a.py"}, "1\tone\n2\ttwo\n", after=[first])
    part = {"file_path": "/w/a.py", "offset": 2, "limit": 1}
    run.call("Read", part, "2\ttwo\n", after=[first])
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "two", "new_string": "three"}, "ok")
    graph = run.record().graph
    file = touched_files(graph).file("a.py")
    assert file is not None
    said = [line.text for line in file_page(graph, file, 3).text]
    assert said[0] == "The text is not on record here: no step on the way there wrote the file or read all of it."
    assert "1 step on the way there read it, but only a part of it is on record." in said
    assert said[-1].startswith("1 step before this one used it in other branches or by other agents")


def test_the_text_of_a_file_is_coloured_in_its_language_and_long_lines_are_whole() -> None:
    page = [PageLine("text", "def f():", 1, 3), PageLine("text", "x" * 5000, 2, -1)]
    lines = file_lines(page[:1], "/w/a.py", 3)
    assert (lines.lines[0].spans[0].text, lines.lines[0].spans[0].role) == ("def", "keyword")
    assert (lines.lines[0].ground, lines.lines[0].number) == ("written", "1")
    lines = file_lines(page, "/w/a.py", -1)
    assert "".join(lines.lines[index].text for index in range(1, len(lines.lines))) == "x" * 5000
    assert [line.number for line in lines.of] == [1, 2, 2]


def test_the_page_of_a_file_that_was_only_edited_says_where_its_edits_stand() -> None:
    run = Recording()
    run.ask("Make it two")
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "return 1", "new_string": "return 2"}, "ok")
    graph = run.record().graph
    file = touched_files(graph).file("a.py")
    assert file is not None
    page = file_page(graph, file, 1)
    assert page.text[0].text.startswith("The text is not on record here: ")
    assert page.text[-1].text == "What its 1 edit changed stands under Changes by turn."
    assert [line.text for line in page.changes if line.kind == "added"] == ["return 2"]


def test_of_many_places_to_fork_cards_mark_the_last_that_were_stopped_and_every_failure() -> None:
    why = [Why.INTERRUPTED] * 4 + [Why.OUTSIDE] + [Why.REFUSED] * 4 + [Why.STREAK]
    places = tuple(ForkPoint(step, step + 1, one, step, 9 - step) for step, one in enumerate(why))
    marked = Findings(Suspicion(), places).marked_forks
    assert [point.step for point in marked] == [4, 6, 7, 8, 9]
    assert Findings(Suspicion(), places[:6]).marked_forks == places[:6], "few are all marked"
