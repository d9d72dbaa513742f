"""How full the context was at each request, how much of it came from the cache, and where it was compacted.

Taken from the recorded usage: input tokens, including those read from and written to the cache. Where no usage is
recorded, it is estimated from the length of the steps since the last compaction, and marked as an estimate.
"""

from __future__ import annotations

from array import array
from functools import cached_property
from typing import Any

import msgspec

from opentine_gui.core.analysis.agents import MAIN, agents
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace

CHARACTERS = 4.0
"""Characters of a record that count as a token where no usage is recorded."""
_SLICE = 500


class _Used(msgspec.Struct, gc=False):
    usage: dict[str, float] | None = None


class _Said(msgspec.Struct, gc=False):
    inputs: Any = None
    outputs: Any = None


_used = msgspec.json.Decoder(_Used)
_said = msgspec.json.Decoder(_Said)


class Context(msgspec.Struct, frozen=True, dict=True):
    """For each step `fill` in tokens (0: no request), the `cached` ones among them (-1: not recorded), and `estimated`.

    `cliffs` are the compactions, after which the context starts afresh. Sub-agents have contexts of their own.
    """

    fill: array[float]
    cached: array[float]
    estimated: bytearray
    cliffs: tuple[int, ...]
    said: array[float] = array("d")
    """Estimated tokens in the context after each step; a longer state of the run continues from them."""

    @cached_property
    def recorded(self) -> bool:
        """Whether the fill of any step is recorded."""
        return any(fill > 0 and not guess for fill, guess in zip(self.fill, self.estimated, strict=True))


def context(graph: Graph, pace: Pace | None = None, known: Context | None = None, kept: int = 0) -> Context:
    """The context at each request of a run.

    `known` is the context of an earlier state of the run with the same first `kept` steps.
    """
    pace = pace or Pace()
    count = len(graph)
    fill, cached = array("d", bytes(8 * count)), array("d", [-1.0]) * count
    estimated, said = bytearray(count), array("d", bytes(8 * count))
    cliffs: list[int] = []
    if known is not None and kept:
        fill[:kept], cached[:kept] = known.fill[:kept], known.cached[:kept]
        estimated[:kept], said[:kept] = known.estimated[:kept], known.said[:kept]
        cliffs = [step for step in known.cliffs if step < kept]
    else:
        kept = 0
    agent = agents(graph)
    for step in range(kept, count):
        if step % _SLICE == 0:
            pace.at(step / count)
        kind = graph.kinds[step]
        raw, parents = graph.raws[step], graph.parents[step]
        own = len(raw) / CHARACTERS
        if kind is StepKind.THINK and is_compaction(raw):
            cliffs.append(step)
            said[step] = own
            continue
        # A sub-agent starts from its own prompt; the answers of several calls go into one request together.
        above = [parent for parent in parents if agent[parent] == agent[step]] if agent[step] != step else []
        if above:
            longest = max(above, key=said.__getitem__)
            said[step] = said[longest] + own
            said[step] += sum(len(graph.raws[parent]) / CHARACTERS for parent in above if parent != longest)
        else:
            said[step] = own
        if not is_request(graph, step):
            continue
        usage = (_used.decode(raw).usage or {}) if graph.tokens[step] >= 0 else {}
        parts = [usage.get(name, 0) for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h")]
        if sum(parts) > 0:
            fill[step], cached[step] = sum(parts), usage.get("cache_read", -1.0)
        elif above:
            fill[step] = said[step] - own
            estimated[step] = 1
    return Context(fill, cached, estimated, tuple(cliffs), said)


def main_line(found: Context, graph: Graph) -> list[int]:
    """The requests and compactions of the main agent, in recorded order."""
    agent = agents(graph)
    cliffs = set(found.cliffs)
    return [step for step in range(len(graph)) if agent[step] == MAIN and (found.fill[step] > 0 or step in cliffs)]


def is_request(graph: Graph, step: int) -> bool:
    """Whether a step is an answer of a model, to a request that had a context."""
    return graph.kinds[step] in (StepKind.MODEL, StepKind.DONE) and graph.v3_kinds.get(step) is None


def is_compaction(raw: bytes | msgspec.Raw) -> bool:
    """Whether a step replaced what came before by a summary."""
    step = _said.decode(raw)
    inputs = step.inputs if isinstance(step.inputs, dict) else {}
    outputs = step.outputs if isinstance(step.outputs, dict) else {}
    return "trigger" in inputs or isinstance(outputs.get("summary"), str)
