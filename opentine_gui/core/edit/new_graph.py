"""Makes a graph of new steps in one pass: each payload is encoded once, for the id and for the record alike."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import count
from json import JSONEncoder
from typing import Any

from opentine_gui.core.edit.new_step import OUTSIDE_A_STEP, amount, seconds
from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.format.canonical import check_names
from opentine_gui.core.format.checks import check_depth, check_digits, check_encoding
from opentine_gui.core.graph.graph import CANONICAL, Graph, Raw
from opentine_gui.core.graph.step_record import Columns, count_usage
from opentine_gui.core.model import V3_KINDS, JsonObject, Step, StepKind

_encode = JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=repr).encode


class NewGraph:
    """Collects new steps, parents before children; `graph()` gives them as they were added.

    What `new_step` and `Graph.with_steps` come to for each step, at a fraction of the time: nothing is copied, so the
    caller's values may be dropped as soon as `add` returns.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._index: dict[str, int] = {}
        self._parents: list[tuple[int, ...]] = []
        self._raws: list[Raw] = []
        self._columns = Columns()
        self._repeats: dict[str, int] = {}

    def add(
        self,
        kind: StepKind,
        inputs: JsonObject,
        parents: Sequence[int],
        *,
        timestamp: float,
        outputs: JsonObject | None = None,
        model_info: Any = "",
        tool_info: JsonObject | None = None,
        error: JsonObject | None = None,
        duration: float = 0.0,
        cost: float = 0.0,
        usage: dict[str, int | float] | None = None,
        billing: JsonObject | None = None,
        causal_ids: Sequence[str] = (),
        provider: str = "",
        v3_kind: str | None = None,
    ) -> int:
        """Add a step on the steps at the positions `parents`; returns its position.

        A step that is there already is added again with `tool_info.nth` = 2, 3 and so on: it happened again. Raises
        as `new_step` does.
        """
        if v3_kind not in (None, *V3_KINDS):
            raise FormatError(f"{str(v3_kind)[:40]!r} is not an event kind of format 3")
        counters = {name: amount(f"usage {name!r}", value, whole=True) for name, value in (usage or {}).items()}
        check_names(inputs)
        check_names(outputs)
        check_names(model_info)
        core = _unchecked(
            {
                "inputs": inputs,
                "kind": kind.value,
                "model_info": model_info,
                "outputs": outputs or {},
                "parent_ids": [self.ids[parent] for parent in parents],
            }
        )[1:-1]
        said = _text(error)
        identity, tool = self._free_id(f'{{"error":{said},{core},"tool_info":', tool_info or {})
        head = Step(
            id=identity,
            parent_ids=(),
            kind=kind,
            inputs={},
            error=error or {},
            timestamp=seconds(timestamp),
            duration=float(amount("duration", duration)),
            cost=float(amount("cost", cost)),
            usage=counters,
            billing=billing or {},
            causal_ids=tuple(causal_ids),
            provider=provider,
            v3_kind=v3_kind,
        )
        count_usage(counters, identity)
        raw = _record(head, said, core, tool)
        check_encoding(raw)
        check_digits(raw)
        check_depth([raw], OUTSIDE_A_STEP)
        position = len(self.ids)
        self.ids.append(identity)
        self._index[identity] = position
        self._parents.append(tuple(parents))
        self._columns.add_step(head)
        self._raws.append(raw)
        return position

    def _free_id(self, content: str, tool_info: JsonObject) -> tuple[str, str]:
        """The id of a content, whose `tool_info` is numbered when it was added before, and the text of `tool_info`.

        `content` is the canonical text that `core.format.canonical.step_id` makes, up to its last value.
        """
        text = _text(tool_info)
        first = identity = _digest(content, text)
        if first in self._index:
            for nth in count(self._repeats.get(first, 1) + 1):
                text = _text({**tool_info, "nth": nth})
                identity = _digest(content, text)
                if identity not in self._index:
                    self._repeats[first] = nth
                    break
        return identity, text

    def graph(self) -> Graph:
        """All steps; nothing may be added afterwards."""
        proved = bytearray([CANONICAL]) * len(self.ids)
        return Graph(self.ids, self._parents, self._raws, self._columns, self._index, proved)


def _digest(content: str, tool_info: str) -> str:
    return hashlib.sha256(f"{content}{tool_info}}}".encode("ascii")).hexdigest()


def _record(step: Step, error: str, core: str, tool_info: str) -> bytes:
    """The canonical record as `core.graph.step_record.record_of` has it: keys sorted, optional ones only if not empty.

    `core` are the members from `inputs` to `parent_ids`, which stand beside each other in id and record alike.
    """
    billing = f'"billing":{_encoded(step.billing)},' if step.billing else ""
    causes = f'"causal_ids":{_encoded(step.causal_ids)},' if step.causal_ids else ""
    provider = f'"provider":{_encoded(step.provider)},' if step.provider else ""
    usage = f',"usage":{_encoded(step.usage)}' if step.usage else ""
    v3_kind = f',"v3_kind":"{step.v3_kind}"' if step.v3_kind else ""
    return (
        f'{{{billing}{causes}"cost":{step.cost!r},"duration":{step.duration!r},"error":{error},"id":"{step.id}",{core},'
        f'{provider}"timestamp":{step.timestamp!r},"tool_info":{tool_info}{usage}{v3_kind}}}'
    ).encode("ascii")


def _text(value: JsonObject | None) -> str:
    """As `_encoded`, of an object; None is an empty one."""
    return _encoded(value) if value else "{}"


def _encoded(value: Any) -> str:
    check_names(value)
    return _unchecked(value)


def _unchecked(value: Any) -> str:
    """The canonical text of a part. FormatError for what is not JSON, LimitError for what is nested too deeply."""
    try:
        return _encode(value)
    except RecursionError as error:
        raise LimitError("the value is nested too deeply to be written") from error
    except (ValueError, TypeError) as error:
        raise FormatError("the value cannot be written as JSON", cause=error) from error
