"""How two runs diverge, in words."""

from __future__ import annotations

import pytest

from opentine_gui.core import RunRecord, StepKind, compare
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.core.model import JsonObject
from opentine_gui.describe.comparison_words import (
    checks_said,
    divergence_sentence,
    figure_rows,
    sides_said,
    titles_apart,
)
from opentine_gui.describe.difference_lines import first_difference
from tests.core.analysis.call_runs import Recording


def sentence(one: JsonObject, other: JsonObject) -> str:
    """What is said of two runs whose second step has the same inputs and these outputs."""
    runs = []
    for name, outputs in (("one", one), ("other", other)):
        run = Recording()
        run.ask("mend it")
        run.add(StepKind.TOOL, {"name": "Edit", "arguments": {"file_path": "a.py"}}, outputs=outputs)
        runs.append(run.record(run_id=name))
    comparison = compare(*runs)
    (root,) = comparison.root_divergences
    return divergence_sentence(comparison, root)


def test_the_same_request_has_two_outcomes_only_if_both_are_recorded() -> None:
    assert sentence({"result": "a"}, {"result": "b"}).endswith("both ask the same and get different outcomes.")
    assert sentence({}, {"result": "b"}).endswith("both ask the same, and no outcome is recorded in A.")
    assert sentence({"result": "a"}, {}).endswith("both ask the same, and no outcome is recorded in B.")


def test_two_turns_that_ended_are_told_apart_by_what_was_checked_what_failed_and_what_was_edited() -> None:
    red = Recording()
    red.ask("add the endpoint")
    red.call("Edit", {"file_path": "/w/app.py", "old_string": "a", "new_string": "b"}, "ok")
    red.call("Bash", {"command": "uv run pytest"}, failed="1 failed")
    blind = Recording()
    blind.ask("add the endpoint, please")
    for name in ("app", "routes"):
        blind.call("Edit", {"file_path": f"/w/{name}.py", "old_string": "a", "new_string": "b"}, "ok")
    comparison = compare(red.record(run_id="red"), blind.record(run_id="blind"))
    accounts = account_of(comparison.a), account_of(comparison.b)
    known = {row.label: row for row in figure_rows(comparison, accounts)}
    assert known["Last check"][1:] == ("1 failing", "not checked", "", None, ("bad", "quiet"))
    assert known["Failures"][1:] == ("1", "0", "−1", None, ("", ""))
    assert known["Files edited"][1:] == ("1", "2", "+1", None, ("", ""))
    assert checks_said(comparison, accounts) == (
        "1 check failed the last time it ran: uv run pytest",
        "2 edits, none of them checked: Edit routes.py",
    )
    waiting = {row.label: row for row in figure_rows(comparison)}
    assert waiting["Failures"] == known["Failures"]
    assert waiting["Last check"][1:] == ("checking…", "checking…", "", None, ("quiet", "quiet"))
    assert waiting["Files edited"][1:] == ("checking…", "checking…", "", None, ("", ""))
    assert checks_said(comparison, None) == ("", "")


def prompted(system: str, asked: str, said: str, run_id: str) -> RunRecord:
    run = Recording()
    if system:
        run.add(StepKind.MODEL, {"system": system}, v3_kind="policy")
    run.ask(asked)
    run.say(said)
    return run.record(run_id=run_id)


def test_what_was_asked_is_told_before_what_programs_tell_their_models() -> None:
    one = prompted("You are a coding agent", "add the endpoint", "I look", "one")
    for system, note in (
        ("You are another", "the system prompts differ as well."),
        ("", "A records a system prompt that B does not."),
    ):
        comparison = compare(one, prompted(system, "add a test", "I test", "other"))
        (root,) = comparison.root_divergences
        assert sides_said(comparison, root) == ("add the endpoint", "add a test")
        *lines, last = [line.text for line in first_difference(comparison, root, 9)]
        assert note in last
        assert any("add a test" in line for line in lines) and not any("coding agent" in line for line in lines)


@pytest.mark.parametrize(
    ("one", "other", "note"),
    [
        ("x?", "?", "Before it, A records a system prompt that B does not."),
        ("?", "x?", "Before it, B records a system prompt that A does not."),
        ("g?", "gx?", "Before it, B records a system prompt that A does not."),
        ("xz?", "x?", "Before it, A records a system prompt that B does not."),
        ("x?", "y?", "Before it, the system prompts differ as well."),
        ("xz?", "y?", "Before it, the system prompts differ as well."),
        ("x?", "?y", "Before it, both record a system prompt, at different places."),
        ("?", "?", ""),
    ],
)
def test_system_prompts_differ_where_both_runs_have_one_there(one: str, other: str, note: str) -> None:
    def run_of(steps: str, said: str) -> RunRecord:
        run = Recording()
        for step in steps:
            if step in "xyz":
                run.add(StepKind.MODEL, {"system": f"You are {step}"}, v3_kind="policy")
            else:
                run.ask("add the endpoint" if step == "?" else "greet")
        run.say(said)
        return run.record(run_id=said)

    comparison = compare(run_of(one, "I look"), run_of(other, "I write"))
    (root, *_) = comparison.root_divergences
    assert sides_said(comparison, root) == ("I look", "I write")
    assert [line.text for line in first_difference(comparison, root, 9) if line.kind == "note"] == [note] * bool(note)


def test_where_the_same_was_asked_the_first_that_was_done_otherwise_is_told() -> None:
    one = prompted("You are a coding agent", "add the endpoint", "I look", "one")
    comparison = compare(one, prompted("You are another", "add the endpoint", "I write", "other"))
    (root, *_) = comparison.root_divergences
    assert sides_said(comparison, root) == ("I look", "I write")
    alike = compare(one, prompted("You are another", "add the endpoint", "I look", "other"))
    assert sides_said(alike, alike.root_divergences[0]) == ("You are a coding agent", "You are another")


LONG = "The backups are next. Look at how one is made when there is one, and say what becomes of it. Add a warning."


def test_prompts_that_begin_alike_are_told_from_where_they_differ() -> None:
    one, other = prompted("", LONG, "", "one"), prompted("", f"{LONG} Also say what was wrong.", "", "other")
    comparison = compare(one, other)
    (root, *_) = comparison.root_divergences
    assert sides_said(comparison, root) == ("…Add a warning.", "…Add a warning. Also say what was wrong.")
    assert root.a is not None and root.b is not None
    assert titles_apart(comparison, root.a) == "…Add a warning."
    assert titles_apart(comparison, root.b) == "…Add a warning. Also say what was wrong."


def test_titles_whose_difference_is_in_view_stay_whole() -> None:
    one, other = prompted("", f"First {LONG}", "", "one"), prompted("", f"Second {LONG}", "", "other")
    comparison = compare(one, other)
    (root, *_) = comparison.root_divergences
    assert [said.split()[0] for said in sides_said(comparison, root)] == ["First", "Second"]
    assert titles_apart(comparison, root.a or "") == ""


def test_a_call_with_another_result_keeps_its_title() -> None:
    runs = []
    for result in ("fine", "broken"):
        run = Recording()
        run.ask("go on")
        run.call("Bash", {"command": "make check"}, {"result": f"{LONG} {result}"})
        runs.append(run.record(run_id=result))
    comparison = compare(*runs)
    (root, *_) = comparison.root_divergences
    assert root.a is not None
    assert titles_apart(comparison, root.a) == ""
    assert [said.split()[-1] for said in sides_said(comparison, root)] == ["fine", "broken"]
