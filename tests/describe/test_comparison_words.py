"""How two runs diverge, in words."""

from __future__ import annotations

from opentine_gui.core import StepKind, compare
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.core.model import JsonObject
from opentine_gui.describe.comparison_words import checks_said, divergence_sentence, figure_rows, row_roles
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
    assert known["Last check"][1:] == ("1 failing", "not checked", "", None)
    assert known["Failures"][1:] == ("1", "0", "−1", None)
    assert known["Files edited"][1:] == ("1", "2", "+1", None)
    assert row_roles(known["Last check"]) == ("bad", "quiet")
    assert checks_said(comparison, accounts) == (
        "1 check failed the last time it ran: uv run pytest",
        "2 edits, none of them checked: Edit routes.py",
    )
    waiting = {row.label: row for row in figure_rows(comparison)}
    assert waiting["Failures"] == known["Failures"]
    assert waiting["Last check"][1:] == ("checking…", "checking…", "", None)
    assert waiting["Files edited"][1:] == ("checking…", "checking…", "", None)
    assert checks_said(comparison, None) == ("", "")
