"""A step that nothing comes after is changed where it is: another one takes its place, and refs follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.core import EditError, Verdict, verify
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.edit.change_step import change_step
from opentine_gui.core.edit.fork import fork_and_edit
from opentine_gui.core.files import storage
from opentine_gui.core.model import StepKind
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "b", "d": "b"}


def test_the_changed_step_takes_the_place_and_the_names_of_the_old_one(tmp_path: Path) -> None:
    record = run_of(TREE)
    child = fork_and_edit(record, named(record, "c"), inputs={"prompt": "onec"}, now=5.0, nonce="n")
    typo = child.graph.ids[-1]
    mended, identity = change_step(child, typo, inputs={"prompt": "once"}, now=7.0)
    assert typo not in mended.graph
    assert len(mended.graph) == len(child.graph)
    assert mended.graph.parent_ids(identity) == child.graph.parent_ids(typo)
    assert mended.graph.step(identity).inputs == {"prompt": "once"}
    assert mended.refs == {name: identity if step == typo else step for name, step in child.refs.items()}
    assert mended.run_id == child.run_id
    direct = fork_and_edit(record, named(record, "c"), inputs={"prompt": "once"}, now=7.0, nonce="n")
    assert mended.graph.ids == direct.graph.ids
    written = storage.write(tmp_path / "mended.tine", mended)
    assert verify(storage.read(written)).verdict is Verdict.VERIFIED


def test_a_step_in_the_middle_of_the_file_is_changed_too() -> None:
    record, added = add_step(run_of(TREE), named(run_of(TREE), "a"), inputs={"prompt": "x"}, now=1.0)
    record, _ = add_step(record, named(record, "a"), inputs={"prompt": "later"}, now=1.0)
    changed, identity = change_step(record, added, inputs={"message": "y"}, outputs={"said": 1}, kind="error", now=2.0)
    step = changed.graph.step(identity)
    assert (step.kind, step.inputs, step.outputs) == (StepKind.ERROR, {"message": "y"}, {"said": 1})
    assert set(record.graph.ids) - set(changed.graph.ids) == {added}
    assert changed.refs["step"] == identity


def test_nothing_changed_is_the_same_run() -> None:
    record, added = add_step(run_of(TREE), named(run_of(TREE), "a"), inputs={"prompt": "x"}, now=1.0)
    assert change_step(record, added, inputs={"prompt": "x"}, now=9.0) == (record, added)


def test_what_others_rest_on_a_merge_and_a_step_that_is_there_already_are_refused() -> None:
    record = run_of({**TREE, "e": "c d"})
    with pytest.raises(EditError, match="steps come after"):
        change_step(record, named(record, "a"), inputs={}, now=1.0)
    with pytest.raises(EditError, match="is a merge"):
        change_step(record, named(record, "e"), inputs={}, now=1.0)
    record, one = add_step(run_of(TREE), named(run_of(TREE), "b"), inputs={"prompt": "x"}, now=1.0)
    record, _ = add_step(record, named(record, "b"), inputs={"prompt": "y"}, now=1.0)
    with pytest.raises(EditError, match="in the run already"):
        change_step(record, one, inputs={"prompt": "y"}, now=1.0)
