"""What is no run, graph, id or name is refused in a sentence of ours, whichever public function it is given to."""

from __future__ import annotations

import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import opentine_gui.core as core
from opentine_gui.core import Graph, Run, TineError, family_of, fingerprint, short_id, totals_of, write_bytes_atomic
from tests.conftest import run_of

FUNCTIONS = [name for name in core.__all__ if inspect.isfunction(getattr(core, name))]
PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
ODD: tuple[Any, ...] = (None, 3, "x", b"x", [], {}, object(), 1.5, [None], float("nan"))
NAMES = ["none", "number", "text", "bytes", "list", "dict", "object", "fraction", "list of none", "nan"]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("odd", ODD, ids=NAMES)
def test_no_public_function_ends_in_an_error_of_python(
    name: str, odd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function = getattr(core, name)
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    with suppress(TineError):
        function(
            *(odd for one in needed if one.kind in PLAIN),
            **{one.name: odd for one in needed if one.kind is one.KEYWORD_ONLY},
        )
    assert not [path for path in tmp_path.iterdir() if path.name != "x"]


@pytest.mark.parametrize("odd", [None, 3, b"x", [], 1.5], ids=repr)
def test_what_is_not_an_id_names_no_step(odd: Any) -> None:
    graph = Graph.of([])
    for ask in (graph.index, graph.resolve, short_id):
        with pytest.raises(TineError):
            ask(odd)


@pytest.mark.parametrize("positions", [3, "x", [None], [0], ["x"], [10**30]], ids=repr)
def test_totals_of_what_are_no_positions(positions: Any) -> None:
    with pytest.raises(TineError, match="positions"):
        totals_of(Graph.of([]), positions)


@pytest.mark.parametrize("positions", [range(3), [0, 1, 2], [2], range(10**9, 10**9 + 2)], ids=repr)
def test_totals_of_positions_beyond_the_end(positions: Any) -> None:
    with pytest.raises(TineError, match="positions"):
        totals_of(run_of({"a": "", "b": "a"}).graph, positions)


@pytest.mark.parametrize("method", ["step", "head", "raw", "model_of", "parent_ids", "ancestors"])
def test_a_position_beyond_the_end_of_a_graph_is_an_index_error_as_with_a_list(method: str) -> None:
    graph = run_of({"a": "", "b": "a"}).graph
    for position in (len(graph), 10**30):
        with pytest.raises(IndexError):
            getattr(graph, method)(position)


@pytest.mark.parametrize("method", ["count", "runs_of", "only", "tips", "path"])
def test_a_position_or_run_beyond_the_end_of_a_family_is_an_index_error_too(method: str) -> None:
    family = family_of([run_of({"a": "", "b": "a"}), run_of({"a": "", "c": "a"})])
    with pytest.raises(IndexError):
        getattr(family, method)(99)


def test_other_wrong_arguments_are_named() -> None:
    odd: Any = 3
    with pytest.raises(TineError, match="3 is not the record of a run"):
        Run.of(odd)
    with pytest.raises(TineError, match="3 is not a step"):
        Graph.of([odd])
    with pytest.raises(TineError, match="only bytes"):
        write_bytes_atomic("x", odd)
    with pytest.raises(TineError, match="3 is not the graph of a run"):
        totals_of(odd)
    assert fingerprint("\0") is None
