"""What did not verify stays so: no fork, merge, edit or save turns a changed file into one that verifies."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import opentine_gui
from opentine_gui.core import (
    Run,
    RunRecord,
    RunStatus,
    Verdict,
    decode,
    encode,
    extract,
    fork,
    fork_and_edit,
    merge,
    read,
    verify,
    write,
)
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.edit.details import with_details
from opentine_gui.core.files.origin import mark_sentence
from opentine_gui.core.format.metadata import marks_in
from tests.core.sample_runs import make_record, make_step

NOW: dict[str, Any] = {"now": 1.0, "nonce": "n"}


def good() -> RunRecord:
    first = make_step("first")
    return decode(encode(make_record([first, make_step("second", first.id), make_step("third", cost=1.0)])))


def changed(change: Callable[[dict[str, Any]], object]) -> RunRecord:
    """A run as it is read from a file that was changed after it was saved."""
    document = json.loads(encode(good()))
    change(document)
    return decode(json.dumps(document).encode())


def forge_costs(document: dict[str, Any]) -> None:
    for step in document["graph"]["steps"].values():
        step["cost"] = 0.5


def forge_step(document: dict[str, Any]) -> None:
    next(iter(document["graph"]["steps"].values()))["inputs"] = {"text": "forged"}


DERIVED: dict[str, Callable[[RunRecord], RunRecord]] = {
    "fork": lambda run: fork(run, run.graph.ids[-1], **NOW),
    "fork and edit": lambda run: fork_and_edit(run, run.graph.ids[-1], inputs={"text": "other"}, **NOW),
    "merge inside": lambda run: merge([run], run.tips[:2], inputs={"text": "join"}, **NOW),
    "merge of several": lambda run: merge([run, good()], [(0, run.tips[0]), (1, run.tips[1])], inputs={}, **NOW),
    "extract": lambda run: extract([run], [run.graph.ids[-1]], **NOW),
    "step added": lambda run: add_step(run, run.graph.ids[-1], inputs={"text": "more"}, now=1.0)[0],
    "details": lambda run: with_details(run, title="Another title", status=RunStatus.FAILED),
    "fork of a fork": lambda run: (lambda one: fork(one, one.graph.ids[-1], **NOW))(
        fork(run, run.graph.ids[-1], **NOW)
    ),
    "the interface": lambda run: through_the_interface(run),
}


def through_the_interface(record: RunRecord) -> RunRecord:
    with TemporaryDirectory() as folder:
        run = Run.load(write(Path(folder) / "run.tine", record))
    run.tags = ["other"]
    return run.record


@pytest.mark.parametrize("how", DERIVED)
def test_a_run_made_from_a_changed_file_says_so_for_good(how: str, tmp_path: Path) -> None:
    source = changed(forge_costs)
    assert verify(source).verdict is Verdict.CONTRADICTED
    derived = DERIVED[how](source)
    assert verify(derived).verdict is Verdict.CONTRADICTED
    saved = read(write(tmp_path / "derived.tine", derived))
    for record in (decode(encode(derived)), saved, read(write(tmp_path / "again.tine", saved.edited(run_id="x")))):
        found = verify(record)
        assert str(found.digest.verdict) == "ok"
        assert found.verdict is Verdict.CONTRADICTED
        (mark,) = marks_in(record.metadata)
        assert mark["run_id"] == source.run_id
        assert mark["expected"] == source.stored_digest != mark["actual"]
        assert found.statements[0].startswith("Made from a run that did not verify: run ")
        assert mark["expected"][:12] in found.statements[0] and mark["actual"][:12] in found.statements[0]


@pytest.mark.parametrize("how", DERIVED)
def test_a_run_made_from_one_that_verifies_has_no_mark(how: str) -> None:
    derived = decode(encode(DERIVED[how](good())))
    assert marks_in(derived.metadata) == []
    assert verify(derived).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("checked_before", [True, False])
def test_the_mark_is_the_same_whether_somebody_looked_before_or_not(checked_before: bool) -> None:
    source = changed(forge_step)
    if checked_before:
        verify(source)
    derived = fork(source, source.graph.ids[-1], **NOW)
    assert (derived.origins == ()) is checked_before
    (mark,) = marks_in(decode(encode(derived)).metadata)
    assert mark["steps"] == 1 and len(mark["first_steps"]) == 1
    assert "1 step id does not follow from the content" in mark_sentence(mark)


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda document: document["metadata"].pop("integrity"), Verdict.NOT_VERIFIED),
        (lambda document: document["metadata"]["integrity"].update(algorithm="md5"), Verdict.NOT_VERIFIED),
        (lambda document: document["metadata"]["integrity"].update(digest="x"), Verdict.NOT_VERIFIED),
        (lambda document: document["metadata"].update(title="Another"), Verdict.VERIFIED),
    ],
)
def test_a_digest_that_was_taken_away_is_missed_in_what_is_made_from_it(
    change: Callable[[dict[str, Any]], object], verdict: Verdict
) -> None:
    source = changed(change)
    derived = decode(encode(fork(source, source.graph.ids[-1], **NOW)))
    assert verify(derived).verdict is verdict
    assert len(marks_in(derived.metadata)) == (verdict is not Verdict.VERIFIED)


def test_an_untouched_file_is_saved_as_it_is_and_keeps_its_mismatch(tmp_path: Path) -> None:
    source = changed(forge_costs)
    again = read(write(tmp_path / "copy.tine", source))
    assert again.stored_digest == source.stored_digest
    assert marks_in(again.metadata) == []
    assert verify(again).verdict is Verdict.CONTRADICTED


def test_saving_an_older_format_does_not_mend_what_was_wrong_with_it() -> None:
    document = json.loads(encode(good()))
    document["format_version"] = 1
    source = decode(json.dumps(document).encode())  # the digest is that of format 2
    assert verify(source).verdict is Verdict.CONTRADICTED
    assert verify(decode(encode(source))).verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize(
    "marks", [3, "x", {"a": 1}, [1, None], [], [{}], [{"run_id": 7, "steps": "x", "first_steps": 3}]]
)
def test_marks_of_any_shape_are_read(marks: Any) -> None:
    record = decode(encode(make_record([make_step("a")], metadata={"unverified": marks})))
    found = verify(record)
    objects = [mark for mark in marks if isinstance(mark, dict)] if isinstance(marks, list) else []
    assert len(found.origins) == len(objects)
    assert found.ok is (not objects)
    fork(record, record.graph.ids[0], **NOW)


def test_marks_do_not_pile_up() -> None:
    record = changed(forge_costs)
    for _ in range(5):
        record = decode(encode(fork(record, record.graph.ids[-1], **NOW)))
    assert len(marks_in(record.metadata)) == 1


def test_every_edit_that_makes_a_run_says_what_it_was_made_from() -> None:
    """A record made from scratch would lose the marks, and with them what is known of its origin."""
    package = Path(opentine_gui.__file__).parent
    made = [
        (path.name, node)
        for path in (package / "core" / "edit").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "RunRecord"
    ]
    assert len(made) >= 3
    assert [name for name, node in made if "origins" not in [word.arg for word in node.keywords]] == []
