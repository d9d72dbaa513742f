"""The graph: relations, prefixes, lazy payloads, and new graphs that share the old one's texts."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bench.generate import linear_run
from opentine_gui.core import CostState, FormatError, Graph, LookupFailure, Step, StepKind, canonical
from opentine_gui.core.files import reader
from opentine_gui.core.format.canonical import canonical_names, sha256_hex
from opentine_gui.core.graph.step_record import Columns
from opentine_gui.core.model import LARGEST_TOKENS
from tests.core.sample_runs import make_record, make_step


@pytest.fixture
def graph(diamond: dict[str, Step]) -> Graph:
    return Graph.of(diamond.values())


def names(graph: Graph, positions: object) -> list[str]:
    return [graph.step(position).inputs["text"] for position in positions]  # type: ignore[attr-defined]


def test_relations_of_a_diamond(graph: Graph) -> None:
    assert names(graph, graph.roots) == ["root", "loose"]
    assert names(graph, graph.tips) == ["join", "loose"]
    assert names(graph, graph.children_of(0)) == ["left", "right"]
    assert names(graph, graph.children[0]) == ["left", "right"]
    assert [graph.children_of(place) for place in range(len(graph))] == graph.children
    assert names(graph, graph.ancestors(3)) == ["root", "left", "right", "join"]
    assert names(graph, graph.descendants([1])) == ["left", "join"]
    assert names(graph, graph.closure([2])) == ["root", "right"]
    assert names(graph, graph.merge_bases([1, 2])) == ["root"]
    assert graph.merge_bases([3, 4]) == []
    assert graph.common_ancestor(1, 2) == 0
    assert graph.common_ancestor(1, 4) is None
    assert graph.is_ancestor(0, 3)
    assert graph.is_ancestor(3, 3)
    assert not graph.is_ancestor(1, 2)
    assert not graph.is_ancestor(3, 0)


def test_a_criss_cross_has_two_merge_bases() -> None:
    root = make_step("root")
    a, b = make_step("a", root.id), make_step("b", root.id)
    left, right = make_step("l", a.id, b.id), make_step("r", b.id, a.id)
    graph = Graph.of([root, a, b, left, right])
    assert names(graph, graph.merge_bases([3, 4])) == ["a", "b"]


def test_a_parent_named_twice_has_one_child_entry() -> None:
    root = make_step("root")
    graph = Graph.of([root, make_step("twice", root.id, root.id)])
    assert graph.parents[1] == (0, 0)
    assert graph.children[0] == (1,)


def test_causal_ancestors_belong_to_the_closure_but_not_to_the_ancestors() -> None:
    cause, root = make_step("cause"), make_step("root")
    child = make_step("child", root.id, causal_ids=(cause.id, "f" * 64))
    graph = Graph.of([cause, root, child])
    assert graph.closure([2]) == [0, 1, 2]
    assert graph.closure([2], causal=False) == [1, 2]
    assert graph.ancestors(2) == [1, 2]


def test_prefixes_resolve_when_they_are_unique(graph: Graph) -> None:
    for identity in graph.ids:
        assert graph.resolve(identity) == identity
        assert graph.resolve(identity[:12]) == identity
    with pytest.raises(LookupFailure, match="no step"):
        graph.resolve("zz")
    with pytest.raises(LookupFailure, match="empty"):
        graph.resolve("")
    starts = [identity[0] for identity in graph.ids]
    shared = next((start for start in starts if starts.count(start) > 1), None)
    many = Graph.of([make_step(number) for number in range(40)])
    with pytest.raises(LookupFailure, match="several"):
        many.resolve(shared if shared and len(graph) > 40 else many.ids[0][:1])


def test_a_full_id_that_is_a_prefix_of_another_names_itself() -> None:
    short = make_step("x")
    long = Step(id=short.id + "00", parent_ids=(), kind=StepKind.THINK, inputs={})
    graph = Graph.of([short, long])
    assert graph.resolve(short.id) == short.id


def test_decoded_steps_equal_those_put_in(graph: Graph, diamond: dict[str, Step]) -> None:
    assert list(graph) == list(diamond.values())
    assert graph.step(diamond["left"].id).tokens == 15
    assert graph.head(1).tokens == 15
    assert graph.head(0).tokens is None


def test_adding_leaves_the_old_graph_as_it_was(graph: Graph) -> None:
    more = graph.with_steps([make_step("new", graph.ids[3])])
    assert len(graph) == 5
    assert len(more) == 6
    assert more.ids[:5] == graph.ids
    assert more.raws[0] is graph.raws[0]
    assert graph.tips == (3, 4)
    assert names(more, more.tips) == ["loose", "new"]


def test_a_step_added_again_replaces_the_record_and_keeps_its_place(graph: Graph) -> None:
    again = make_step("root", cost=0.5)
    assert again.id == graph.ids[0]
    replaced = graph.with_steps([again])
    assert replaced.ids == graph.ids
    assert replaced.costs[0] == 0.5
    assert replaced.step(0).cost == 0.5
    assert graph.costs[0] == 1.0


def test_a_missing_parent_is_refused(graph: Graph) -> None:
    with pytest.raises(FormatError, match="parent"):
        graph.with_steps([make_step("orphan", "f" * 64)])


def test_a_subset_keeps_columns_in_step(graph: Graph) -> None:
    part = graph.subset(graph.closure([2]))
    assert names(part, range(len(part))) == ["root", "right"]
    assert list(part.costs) == [1.0, 4.0]
    assert part.parents == [(), (0,)]
    assert graph.subset(range(5)) is graph
    with pytest.raises(FormatError, match="lose its parent"):
        graph.subset([0, 3])


@pytest.mark.parametrize("usage", [{"input": 1e308, "output": 1e308}, {"total": 1e308}])
def test_counters_whose_sum_is_no_number_are_held_to_what_a_column_holds(usage: dict[str, float]) -> None:
    step = make_step("a", usage=usage)
    assert step.tokens == LARGEST_TOKENS
    record = reader.decode(reader.encode(make_record([step])))
    assert list(record.graph.tokens) == [LARGEST_TOKENS]
    assert record.graph.step(0).tokens == LARGEST_TOKENS


@given(st.lists(st.lists(st.integers(0, 20), max_size=3), min_size=1, max_size=14), st.booleans(), st.data())
def test_a_subset_is_the_graph_of_its_steps(named: list[list[int]], chained: bool, data: st.DataObject) -> None:
    steps: list[Step] = []
    for place, numbers in enumerate(named):
        above = [steps[number % place].id for number in numbers] if place else []
        if chained and place and not above:
            above = [steps[-1].id]
        causes, v3_kind = (("cause",), "human") if place % 3 == 0 else ((), None)
        steps.append(make_step(f"step {place}", *above, cost=place / 8, causal_ids=causes, v3_kind=v3_kind))
    whole = Graph.of(steps)
    tips = data.draw(st.lists(st.integers(0, len(steps) - 1), min_size=1, max_size=4))
    part = whole.subset(whole.closure(tips))
    again = Graph.of(list(part))
    assert part.ids == again.ids
    assert part.parents == again.parents
    assert part.raws == again.raws
    assert dict(part.positions) == dict(again.positions)
    assert list(part.sorted_order) == list(again.sorted_order)
    assert part.ids_digest() == again.ids_digest()
    for column in Columns.__slots__:
        assert getattr(part.columns, column) == getattr(again.columns, column)


def test_a_subset_leaves_scattered_steps_out_of_a_long_chain() -> None:
    steps: list[Step] = []
    for place in range(60):
        above = steps[-2 if place % 17 == 16 else -1].id if place else None  # each 16th step is not built upon
        steps.append(make_step(f"step {place}", *filter(None, [above]), cost=place / 8, v3_kind="human"))
    whole = Graph.of(steps)
    part = whole.subset(whole.closure([59]))
    assert 50 < len(part) < 60
    again = Graph.of(list(part))
    assert (part.ids, part.parents, part.raws) == (again.ids, again.parents, again.raws)
    assert list(part.sorted_order) == list(again.sorted_order)
    for column in Columns.__slots__:
        assert getattr(part.columns, column) == getattr(again.columns, column)


@pytest.mark.parametrize(
    ("fields", "state", "cost"),
    [
        ({"cost": 0.5}, CostState.KNOWN, 0.5),
        ({"cost": 0.0}, CostState.NOT_RECORDED, None),
        ({"cost": None}, CostState.NOT_RECORDED, None),
        ({"cost": 0.0, "usage": {"input": 5}}, CostState.UNPRICED, None),
        ({"cost": 0.0, "billing": {"status": "unmetered"}}, CostState.KNOWN, 0.0),
        ({"cost": 0.5, "billing": {"status": "complete", "known_subtotal_usd": "0.25"}}, CostState.KNOWN, 0.25),
        ({"cost": 0.5, "billing": {"known_subtotal_usd": "-1"}}, CostState.KNOWN, 0.5),
        ({"cost": 0.5, "billing": {"known_subtotal_usd": "NaN"}}, CostState.KNOWN, 0.5),
        ({"cost": 0.0, "billing": {"status": "partial", "known_subtotal_usd": "0.1"}}, CostState.PARTIAL, 0.1),
        ({"cost": 0.0, "billing": {"status": "unknown"}}, CostState.UNPRICED, None),
    ],
)
def test_a_missing_cost_is_not_zero(fields: dict[str, object], state: CostState, cost: float | None) -> None:
    step = make_step("x", **fields)
    assert step.cost_state is state
    assert step.known_cost == cost
    record = make_record([step])
    assert record.graph.head(0).cost_state is state
    assert record.totals.unpriced == (state in (CostState.UNPRICED, CostState.PARTIAL))
    assert record.totals.not_recorded == (state is CostState.NOT_RECORDED)


@given(st.lists(st.text(alphabet='ab0"\\é\n ', max_size=4), max_size=6))
def test_a_list_of_names_is_written_as_any_other_list(names: list[str]) -> None:
    assert canonical_names(names) == canonical(names)


@given(st.lists(st.text(alphabet='ab0"\\é', min_size=1, max_size=4), max_size=12, unique=True), st.booleans())
def test_the_digest_of_all_ids_is_that_of_their_list(ids: list[str], order_known: bool) -> None:
    by_id = sorted(range(len(ids)), key=ids.__getitem__) if order_known else None
    texts = [msgspec.Raw(b"{}")] * len(ids)
    graph = Graph(ids, [()] * len(ids), texts, Columns(), by_id=by_id)
    assert graph.ids_digest() == sha256_hex(canonical(sorted(ids)))


def test_the_digest_of_many_ids_is_that_of_their_list() -> None:
    graph = reader.decode(reader.encode(linear_run(50))).graph
    assert graph.ids_digest() == sha256_hex(canonical(sorted(graph.ids)))
    part = graph.subset(range(45))
    assert part.ids_digest() == sha256_hex(canonical(sorted(graph.ids[:45])))
    assert Graph.of(list(part)[:7]).ids_digest() == sha256_hex(canonical(sorted(graph.ids[:7])))


@pytest.mark.parametrize("key", ["sorted", "as they came", "neither"])
def test_the_order_by_id_is_right_whatever_the_file_said(key: str) -> None:
    document = msgspec.json.decode(reader.encode(linear_run(60)))
    steps = document["graph"]["steps"]
    order = document["graph"]["order"]
    names = {"sorted": sorted(steps), "as they came": order, "neither": [*order[7:], *order[:7]]}[key]
    document["graph"]["steps"] = {name: steps[name] for name in names}
    graph = reader.decode(msgspec.json.encode(document)).graph
    assert [graph.ids[position] for position in graph.sorted_order] == sorted(graph.ids)
    assert graph.ids_digest() == sha256_hex(canonical(sorted(graph.ids)))


@given(st.lists(st.lists(st.integers(0, 6), max_size=3), min_size=5, max_size=5), st.permutations(range(5)))
@example([[5], [0], [1], [2], [3]], [0, 1, 2, 3, 4])
@example([[6], [0], [1], [2], [3]], [0, 1, 2, 3, 4])
@example([[4], [0], [1], [2], [3]], [3, 0, 2, 4, 1])
def test_parents_are_those_that_are_named_and_stand_before(named: list[list[int]], stored: list[int]) -> None:
    """Names 5 and 6 are of no step; the second is empty."""
    document = msgspec.json.decode(reader.encode(linear_run(5)))
    order, steps = document["graph"]["order"], document["graph"]["steps"]
    for identity, names in zip(order, named, strict=True):
        steps[identity]["parent_ids"] = [[*order, "f" * 64, ""][name] for name in names]
    document["graph"]["steps"] = {order[place]: steps[order[place]] for place in stored}
    text = msgspec.json.encode(document)
    if any(name >= place for place, names in enumerate(named) for name in names):
        with pytest.raises(FormatError, match=r"a parent that is not in the run|comes before its parent"):
            reader.decode(text)
    else:
        assert reader.decode(text).graph.parents == [tuple(names) for names in named]


def test_what_is_done_to_a_closure_changes_no_later_one() -> None:
    graph = linear_run(4).graph
    graph.closure([2]).append(9)
    assert graph.closure([2]) == [0, 1, 2]


@given(st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=24), st.data())
def test_merge_bases_are_the_common_ancestors_that_no_other_rests_on(
    shape: list[list[int]], data: st.DataObject
) -> None:
    parents = [tuple(dict.fromkeys(above % place for above in row)) if place else () for place, row in enumerate(shape)]
    graph = Graph([f"{place:064x}" for place in range(len(parents))], parents, [b"{}"] * len(parents), Columns())
    chosen = data.draw(st.lists(st.integers(0, len(parents) - 1), min_size=1, max_size=4))
    common = set.intersection(*(set(graph.closure([position], causal=False)) for position in chosen))
    covered = {parent for position in common for parent in parents[position]}
    assert graph.merge_bases(chosen) == sorted(common - covered)
