"""Step addresses: the canonical text a step's id is the hash of, and whether a step's id is that hash."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from opentine_gui.core.format.canonical import canonical_texts, step_id
from opentine_gui.core.graph.graph import ADDRESSED, CANONICAL, TIDY, Graph
from opentine_gui.core.model import REDACTION_MARKER, JsonObject, StepKind
from opentine_gui.core.progress import Pace, batches, collector_paused

ID_LENGTH = 64


_LOWER_HEX = frozenset("0123456789abcdef")


_MARKER = REDACTION_MARKER.encode()


class StepVerdict(StrEnum):
    """What recomputing a step's id says about the step."""

    OK = "ok"
    MISMATCH = "mismatch"
    REDACTED = "mismatch, redacted"
    NOT_CHECKABLE = "not checkable"


def check_graph_ids(graph: Graph, positions: Sequence[int] | None = None) -> list[StepVerdict]:
    """Verdicts on the steps at `positions`, or on all. A step once verified is not computed again."""
    chosen = range(len(graph)) if positions is None else positions
    if graph.proved.count(ADDRESSED) == len(graph):
        return [StepVerdict.OK] * len(chosen)
    unknown = [position for position in chosen if graph.proved[position] != ADDRESSED]
    found = dict(zip(unknown, check_positions(graph, unknown, Pace()), strict=True))
    return [found.get(position, StepVerdict.OK) for position in chosen]


class _Hashed(msgspec.Struct, gc=False):
    id: str
    error: msgspec.Raw
    inputs: msgspec.Raw
    kind: msgspec.Raw
    model_info: msgspec.Raw
    outputs: msgspec.Raw
    tool_info: msgspec.Raw
    parent_ids: msgspec.Raw = msgspec.Raw(b"null")
    parent_id: msgspec.Raw = msgspec.Raw(b"null")


_hashed = msgspec.json.Decoder(list[_Hashed])


_CONTENT = b'{"error":%b,"inputs":%b,"kind":%b,"model_info":%b,"outputs":%b,"parent_ids":%b,"tool_info":%b}'


def hashed_content(text: bytes | msgspec.Raw) -> bytes:
    """The canonical text a step's id is the hash of, from its canonical record (docs/FORMAT.md, section 5)."""
    return _content(_hashed.decode(b"[" + bytes(text) + b"]")[0])


def same_hashed_content(one: bytes | msgspec.Raw, other: bytes | msgspec.Raw) -> bool:
    """Whether two stored records, spelled in any way, give the same id."""
    return hashed_content(canonical_texts([one])[0]) == hashed_content(canonical_texts([other])[0])


def _content(step: _Hashed) -> bytes:
    parents: bytes | msgspec.Raw = step.parent_ids
    if _is_null(parents):
        single = bytes(step.parent_id)
        parents = b"[%b]" % single if single[:1] == b'"' and single != b'""' else b"[]"
    return _CONTENT % (
        _object(step.error),
        _object(step.inputs),
        step.kind,
        step.model_info,
        _object(step.outputs),
        parents,
        _object(step.tool_info),
    )


def _object(text: msgspec.Raw) -> bytes | msgspec.Raw:
    return b"{}" if _is_null(text) else text


def _is_null(text: bytes | msgspec.Raw) -> bool:
    return len(text) == 4 and bytes(text) == b"null"


def check_positions(graph: Graph, positions: list[int], pace: Pace) -> list[StepVerdict]:
    """Verdicts on the steps at `positions`, each recomputed; `pace` gets fractions up to 0.8."""
    verdicts: list[StepVerdict] = []
    raws = [graph.raws[position] for position in positions]
    sha256, proved = hashlib.sha256, graph.proved
    ok = StepVerdict.OK
    with collector_paused():
        for part in batches(raws):
            places = positions[part]
            texts = canonical_records(graph, places)
            steps = _hashed.decode(b"[" + b",".join(texts) + b"]")
            for position, step in zip(places, steps, strict=True):
                identity, content = step.id, _content(step)
                if sha256(content).hexdigest() == identity:
                    verdicts.append(ok)
                    if proved[position] == CANONICAL:
                        proved[position] = ADDRESSED
                else:
                    verdicts.append(_unequal(identity, content))
            pace.at(0.8 * (part.stop or 0) / len(positions))
    return verdicts


def _unequal(identity: str, content: bytes) -> StepVerdict:
    """Why the hash of this content is not the id. A marker beside the hashed content explains nothing."""
    if len(identity) != ID_LENGTH or not _LOWER_HEX.issuperset(identity):
        return StepVerdict.NOT_CHECKABLE
    return StepVerdict.REDACTED if _MARKER in content else StepVerdict.MISMATCH


def fork_id_of(fork: JsonObject) -> str:
    """The run id that follows from a fork record (docs/FORMAT.md, section 9). FormatError if it is not JSON."""
    return step_id(StepKind.MODEL, {"fork": fork})


def canonical_records(graph: Graph, positions: Sequence[int]) -> list[bytes | msgspec.Raw]:
    """Canonical records of the steps at `positions`; if all are known to be canonical, nothing is computed."""
    texts = [graph.raws[position] for position in positions]
    proved = graph.proved
    known = min([proved[position] for position in positions], default=CANONICAL)
    if known >= CANONICAL:
        return texts
    exact = canonical_texts(texts, tidy=known >= TIDY)
    for position, text, found in zip(positions, texts, exact, strict=True):
        if text is found:
            proved[position] = max(proved[position], CANONICAL)
    return exact
