"""How two steps differ by section, as lines and as two columns, and which step a step is compared with."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.inspect.step.difference import side_by_side, step_differences, twin_of
from opentine_gui.app.inspect.step.difference_page import counts, difference_page, one_column, two_columns, weighs
from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind
from opentine_gui.describe.difference_lines import texts_apart
from opentine_gui.scene.text.styled import LONGEST_LINE
from tests.conftest import named, run_of


def tool(identity: str, parents: tuple[str, ...] = (), **fields: Any) -> Step:
    return Step(id=identity, parent_ids=parents, kind=StepKind.TOOL, **fields)


def run(*steps: Step) -> RunRecord:
    return RunRecord(run_id="r", status=RunStatus.COMPLETED, created_at=0.0, graph=Graph.of(list(steps)))


ONE = tool("a", inputs={"name": "f", "arguments": {"code": "x = 1\ny = 2\nz = 3"}}, outputs={"result": "ok"})
OTHER = tool("b", inputs={"name": "f", "arguments": {"code": "x = 1\ny = 5\nz = 3"}}, outputs={"result": "ok"},
             error={"message": "boom"})  # fmt: skip


def test_two_steps_are_compared_section_by_section() -> None:
    found = {section.name: section for section in step_differences(run(ONE, OTHER), ONE, OTHER)}
    assert found["Result"].lines == ()
    assert found["Error"].before is False
    assert [(line.kind, line.text) for line in found["code"].lines] == [
        ("same", "x = 1"),
        ("removed", "y = 2"),
        ("added", "y = 5"),
        ("same", "z = 3"),
    ]
    assert counts(tuple(found.values())) == (2, 1)


def test_side_by_side_what_was_removed_stands_left_of_what_was_added() -> None:
    sections = step_differences(run(ONE, OTHER), ONE, OTHER)
    left, right = two_columns(sections, 60)
    assert len(left) == len(right)
    rows = [(left[number].text, right[number].text) for number in range(len(left))]
    assert ("y = 2", "y = 5") in rows
    assert ("x = 1", "x = 1") in rows
    assert ("", "boom") in rows
    shown = [one_column(sections)[number].text for number in range(len(one_column(sections)))]
    assert shown.index("- y = 2") + 1 == shown.index("+ y = 5")


def test_a_long_line_is_cut_where_it_stands_in_one_column_and_says_the_same() -> None:
    long = "word " * 3_000
    one, other = (tool(name, inputs={"name": "f"}, outputs={"result": text}) for name, text in (("a", ""), ("b", long)))
    sections = step_differences(run(one, other), one, other)
    page = difference_page(sections, None)
    lines = [page.left[number] for number in range(len(page.left))]
    assert max(len(line.text) for line in lines) <= LONGEST_LINE
    assert "".join(line.text + "\n" * line.ends for line in lines).count(long.strip()) == 1
    assert (page.added, page.removed) == counts(sections)
    assert weighs(sections, 10_000) and not weighs(sections, 20_000)


texts = st.lists(st.sampled_from(("one", "two", "three and more words", "", "x" * 30)), max_size=12).map("\n".join)


@given(texts, texts, st.integers(1, 40))
def test_both_columns_have_the_same_rows_and_hold_each_text(before: str, after: str, columns: int) -> None:
    one, other = (
        tool("a", inputs={"name": "f", "text": f"{before}!"}),
        tool("b", inputs={"name": "f", "text": f"{after}?"}),
    )
    left, right = two_columns(step_differences(run(one, other), one, other, context=10_000), columns)
    assert len(left) == len(right)
    for side, text in ((left, f"{before}!"), (right, f"{after}?")):
        said = "".join(side[number].text for number in range(len(side)))
        assert "".join(text.split("\n")) in said


@given(texts, texts)
def test_pairs_keep_the_order_of_each_side(before: str, after: str) -> None:
    lines = texts_apart(before, after, 10_000, 10_000)
    pairs = list(side_by_side(lines))
    assert [one for one, _ in pairs if one] == [line for line in lines if line.kind != "added"]
    assert [other for _, other in pairs if other] == [line for line in lines if line.kind != "removed"]


def test_the_twin_is_the_step_that_asks_the_same_in_another_branch_else_the_one_as_deep() -> None:
    call = {"name": "fetch", "arguments": {"url": "u"}}
    steps = [
        tool("root", inputs={"name": "r"}),
        tool("p", ("root",), inputs={"name": "plan"}),
        tool("mine", ("p",), inputs=call),
        tool("q", ("root",), inputs={"name": "other plan"}),
        tool("between", ("q",), inputs={"name": "look"}),
        tool("same", ("between",), inputs=call),
    ]
    graph = run(*steps).graph
    assert twin_of(graph, "mine") == "same"
    assert twin_of(graph, "p") == "q"
    assert twin_of(graph, "root") is None


def test_a_step_of_a_chain_has_no_twin_and_a_long_run_is_not_searched_through() -> None:
    shape = {"s0": "", **{f"s{number}": f"s{number - 1}" for number in range(1, 30)}}
    record = run_of(shape)
    assert twin_of(record.graph, named(record, "s20")) is None
