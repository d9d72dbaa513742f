"""Names of branches: refs to steps, and which branch is the main one (docs/FORMAT.md, section 3.1)."""

from __future__ import annotations

from copy import copy

from opentine_gui.core.edit.fork import FORK_POINT
from opentine_gui.core.errors import EditError
from opentine_gui.core.model import short_id
from opentine_gui.core.record import MAIN, RunRecord

LONGEST_NAME = 60
_OURS = (MAIN, FORK_POINT)


def branch_names(record: RunRecord, step: str) -> list[str]:
    """The names that people gave to a step, without those that the format gives a meaning of its own."""
    return [name for name, target in record.refs.items() if target == step and name not in _OURS]


def why_no_name(record: RunRecord, name: str, step: str) -> str:
    """Why a name cannot be given to a step, in a sentence; "" if it can."""
    if name in _OURS:
        return f"“{name}” has a meaning of its own in a run."
    if len(name) > LONGEST_NAME:
        return f"A name has at most {LONGEST_NAME} characters, and this one has {len(name)}."
    if not name.isprintable():
        return "A name is one line of printable characters."
    target = record.refs.get(name, step)
    return "" if target == step else f"“{name}” is the name of step {short_id(target)} already."


def name_branch(record: RunRecord, step: str, name: str, *, instead_of: str = "") -> RunRecord:
    """The run with a ref `name` to a step, in place of the one called `instead_of`; an empty name only removes that.

    `step` is a full id or a unique prefix. The same record if nothing changes. EditError for a name that cannot be
    given, LookupFailure for an unknown step.
    """
    identity, name = record.resolve(step), name.strip()
    refusal = why_no_name(record, name, identity) if name else ""
    if refusal:
        raise EditError(refusal)
    if instead_of and (instead_of in _OURS or record.refs.get(instead_of) != identity):
        raise EditError(f"step {short_id(identity)} is not called “{instead_of}”")
    refs = {other: target for other, target in record.refs.items() if other != instead_of}
    if name:
        refs[name] = identity
    return record if refs == record.refs else record.edited(refs=refs)


def with_main(record: RunRecord, step: str) -> RunRecord:
    """The run whose main branch ends at a step; the same record if it does already.

    `step` is a full id or a unique prefix. The graph is another object, with the same content: what is made of a graph,
    its lanes and its picture, also depends on which branch is the main one.

    EditError if steps come after it: a branch ends at its last step.
    """
    identity = record.resolve(step)
    if record.graph.children_of(record.graph.index(identity)):
        raise EditError(f"steps come after step {short_id(identity)}: a branch ends at its last step")
    if record.refs.get(MAIN) == identity:
        return record
    return record.with_graph(copy(record.graph), refs={**record.refs, MAIN: identity})
