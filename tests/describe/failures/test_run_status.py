"""The word for how a run ended, and that a fork made by hand is not called running."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.folder.run_rows import status_of, summarise
from opentine_gui.core import RunRecord, RunStatus, StepKind, compare
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.edit.fork import fork, fork_and_edit
from opentine_gui.core.edit.merge import merge
from opentine_gui.core.files.storage import write
from opentine_gui.describe.card_marks import ref_flags
from opentine_gui.describe.comparison_words import figure_rows
from opentine_gui.describe.failures.run_status import NOT_RUN_YET, status_words
from tests.conftest import named, run_of

SOURCE = run_of({"a": "", "b": "a", "c": "b", "d": "b"})
FORK = fork(SOURCE, named(SOURCE, "b"), now=1.0, nonce="n")
WITH_A_STEP, ADDED = add_step(FORK, named(SOURCE, "b"), kind=StepKind.THINK, inputs={"text": "one more"}, now=2.0)
BY_HAND = {
    "fork": FORK,
    "fork with a step": WITH_A_STEP,
    "fork with two steps": add_step(
        WITH_A_STEP, ADDED, kind=StepKind.TOOL, inputs={"name": "Read"}, now=3.0
    )[0],
    "fork with an edit": fork_and_edit(SOURCE, named(SOURCE, "c"), inputs={"text": "other"}, now=1.0, nonce="n"),
    "fork with its first step edited": fork_and_edit(
        SOURCE, named(SOURCE, "a"), inputs={"text": "other"}, now=1.0, nonce="n"
    ),
    "merge": merge(
        [SOURCE, FORK], [named(SOURCE, "c"), named(SOURCE, "d")], kind=StepKind.THINK,
        inputs={"text": "both"}, now=1.0, nonce="n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_what_was_made_by_hand_has_not_run_yet(name: str) -> None:
    record = BY_HAND[name]
    assert record.status is RunStatus.RUNNING, "as the format has it"
    assert status_words(record).word == NOT_RUN_YET
    assert status_words(record, written=True).word == "running"
    assert record.main_tip is not None
    assert NOT_RUN_YET in [flag.text for flag in ref_flags(record)[record.main_tip]], "and its last card says the same"


@pytest.mark.parametrize("name", [*BY_HAND, "fork with metrics reset"])
def test_nor_is_it_called_running_in_the_list_of_runs(name: str, tmp_path: Path) -> None:
    reset = fork(SOURCE, named(SOURCE, "b"), now=1.0, nonce="n", reset_metrics=True)
    path = tmp_path / "made.tine"
    write(path, BY_HAND.get(name, reset))
    row = summarise(path)
    assert row.status == "running", "as the format has it"
    assert status_of(row) == NOT_RUN_YET


def test_a_fork_that_went_on_is_running_in_the_list_as_well(tmp_path: Path) -> None:
    longer = run_of({"a": "", "b": "a", "new": "b"})
    path = tmp_path / "went.tine"
    write(path, msgspec.structs.replace(FORK, graph=longer.graph, refs=longer.refs))
    assert status_of(summarise(path)) == "running"


def test_a_fork_that_went_on_is_running() -> None:
    longer = run_of({"a": "", "b": "a", "new": "b"})
    went_on = msgspec.structs.replace(FORK, graph=longer.graph, refs=longer.refs)
    assert went_on.lineage.fork_point in longer.graph
    assert status_words(went_on).word == "running"


def test_what_a_step_put_out_is_not_decoded_for_the_word(monkeypatch: pytest.MonkeyPatch) -> None:
    longer = run_of({"a": "", "b": "a", "new": "b"})
    went_on = msgspec.structs.replace(FORK, graph=longer.graph, refs=longer.refs)
    monkeypatch.setattr("opentine_gui.core.graph.graph.decode_step", lambda text: pytest.fail("a step was decoded"))
    assert status_words(went_on).word == "running"


def test_a_run_that_did_not_end_saves_nothing() -> None:
    cost = {row.label: row for row in figure_rows(compare(SOURCE, FORK))}["Cost"]
    assert cost.delta and cost.better is None
    ended: RunRecord = msgspec.structs.replace(FORK, status=RunStatus.COMPLETED)
    assert {row.label: row for row in figure_rows(compare(SOURCE, ended))}["Cost"].better is True


def evaluated(scored: object, status: RunStatus = RunStatus.COMPLETED, source: str = "inspect-log") -> RunRecord:
    capture = {"method": "transcript-import", "source_format": source}
    return msgspec.structs.replace(SOURCE, metadata={"capture": capture, "scored": scored}, status=status)


@pytest.mark.parametrize(
    ("scored", "word", "role"),
    [
        ("correct", "scored correct", "good"),
        ("incorrect", "scored incorrect", "bad"),
        ("correct, score 0.25", "scored correct, score 0.25", "quiet"),
        ("score 0.25", "score 0.25", "quiet"),
        ("scored", "scored", "quiet"),
        ("", "turn ended", "text"),
        (["C"], "turn ended", "text"),
    ],
)
def test_an_evaluation_ended_as_it_was_scored(scored: object, word: str, role: str) -> None:
    assert status_words(evaluated(scored)) == (word, role)


def test_a_score_says_no_more_than_fits_and_steers_no_terminal() -> None:
    word = status_words(evaluated("\x1b[31mC\u202e" + "x" * 99)).word
    assert word.isprintable() and "\u202e" not in word and len(word) <= 60


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.RUNNING])
def test_the_scores_of_a_run_that_did_not_end_are_no_ending(status: RunStatus) -> None:
    assert "scored" not in status_words(evaluated("correct", status)).word


def test_scores_of_other_programs_are_no_ending() -> None:
    assert status_words(evaluated("correct", source="claude-code")).word == "turn ended"
