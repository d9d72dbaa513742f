"""Names of branches and the main one: what is kept, what is refused, and what the file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import EditError, RunRecord, decode, encode, read, write
from opentine_gui.core.edit.branches import LONGEST_NAME, branch_names, name_branch, why_no_name, with_main
from tests.conftest import named, run_of


def reread(record: RunRecord) -> RunRecord:
    return decode(encode(record))


SHAPE = {"ask": "", "left": "ask", "right": "ask", "end": "right"}


def test_a_name_is_saved_with_the_run_renamed_and_removed(tmp_path: Path) -> None:
    record = run_of(SHAPE)
    left = named(record, "left")
    once = name_branch(record, left, "  with retry ")
    assert branch_names(read(write(tmp_path / "named.tine", once)), left) == ["with retry"]
    again = name_branch(once, left, "without cache", instead_of="with retry")
    assert branch_names(again, left) == ["without cache"]
    assert name_branch(again, left, "", instead_of="without cache").refs == record.refs
    assert again.graph is record.graph


def test_a_name_of_another_step_one_of_the_format_and_one_that_is_no_line_are_refused() -> None:
    record = run_of(SHAPE)
    left, right = named(record, "left"), named(record, "right")
    once = name_branch(record, left, "mine")
    for name, why in (
        ("mine", "name of step"),
        ("main", "meaning of its own"),
        ("fork_point", "meaning of its own"),
        ("a\nb", "one line"),
        ("a\u202eb", "one line"),
        ("x" * (LONGEST_NAME + 1), "at most"),
    ):
        assert why in why_no_name(once, name, right)
        with pytest.raises(EditError, match=why):
            name_branch(once, right, name)
    assert name_branch(once, left, "mine") is once, "its own name is no change"
    with pytest.raises(EditError, match="not called"):
        name_branch(once, right, "other", instead_of="mine")


def test_the_main_branch_ends_at_the_step_that_was_chosen_and_the_other_one_stays() -> None:
    record = run_of(SHAPE)
    left, end = named(record, "left"), named(record, "end")
    assert record.main_tip == end
    changed = with_main(record, left)
    assert (changed.main_tip, changed.graph.ids) == (left, record.graph.ids)
    assert changed.graph is not record.graph, "what is made of a graph also depends on its main branch"
    assert reread(changed).main_tip == left
    assert with_main(changed, left) is changed
    with pytest.raises(EditError, match="steps come after"):
        with_main(record, named(record, "right"))


@given(st.text(max_size=80), st.sampled_from(sorted(SHAPE)))
def test_whatever_is_typed_is_a_name_or_refused_in_a_sentence(text: str, step: str) -> None:
    record = run_of(SHAPE)
    identity, name = named(record, step), text.strip()
    if not name:
        assert name_branch(record, identity, text) is record
    elif why_no_name(record, name, identity):
        with pytest.raises(EditError):
            name_branch(record, identity, text)
    else:
        assert name_branch(record, identity, text).refs == {**record.refs, name: identity}
