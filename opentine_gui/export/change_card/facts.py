"""The facts on a what-changed card."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opentine_gui.core import (
    Comparison,
    DivergenceKind,
    FieldDifference,
    PathDifference,
    RootDivergence,
    TineError,
    step_difference,
)
from opentine_gui.core.comparison.step_difference import ABSENT
from opentine_gui.describe.comparison_words import (
    FigureRow,
    checks_said,
    graph_of,
    sides_said,
    step_title,
    verdict,
)
from opentine_gui.describe.difference_lines import DiffLine, passed_over, path_lines
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.numbers import counted
from opentine_gui.export.content import Content
from opentine_gui.scene.text.clean import clean

_FIELD_ORDER = ("inputs", "outputs", "error", "kind", "model_info", "tool_info", "usage", "cost", "billing")
_LONGEST_PATH = 4096
"""Characters of a path: one that was cut names another file."""
_PREFERRED = (
    DivergenceKind.CHANGED,
    DivergenceKind.DIFFERENT,
    DivergenceKind.ONLY_A,
    DivergenceKind.ONLY_B,
    DivergenceKind.MOVED,
)


@dataclass(frozen=True)
class Ending:
    """How a run ended: its letter, outcome and its colour, the id and the title of its main tip, and the last check."""

    letter: str
    status: str
    role: str
    tip: str | None
    said: str
    check: str = ""


@dataclass(frozen=True)
class Changes:
    """The facts of a what-changed card. `root` is the divergence it describes, None if the runs do not diverge.

    `ids` are (what it identifies, full id) pairs for checking the card. `command` repeats the comparison: its words,
    quoted for a shell; none when the files are not known.
    """

    sentence: str
    root: RootDivergence | None
    shared: int
    before: str
    after: str
    difference: tuple[DiffLine, ...]
    rows: tuple[FigureRow, ...]
    endings: tuple[Ending, Ending]
    ids: tuple[tuple[str, str], ...]
    command: tuple[str, ...]


def changes_of(comparison: Comparison, content: Content) -> Changes:
    """Collect the facts, for the first divergence at which both runs continue, else for the first of all."""
    roots = comparison.root_divergences
    root = min(roots, key=_rank, default=None)
    ids: list[tuple[str, str | None]] = []
    if root is not None:
        ids += [("fork point", root.parent), ("first step of A", root.a), ("first step of B", root.b)]
    said = sides_said(comparison, root) if root is not None else ("", "")
    checks = checks_said(comparison, content.accounts_of_pair)
    endings = (_ending("A", comparison, 0, checks[0]), _ending("B", comparison, 1, checks[1]))
    ids += [("end of A", endings[0].tip), ("end of B", endings[1].tip)]
    return Changes(
        sentence=verdict(comparison, root),
        root=root,
        shared=len(comparison.shared),
        before=said[0],
        after=said[1],
        difference=tuple(_telling(comparison, root)) if root is not None else (),
        rows=tuple(content.figure_rows),
        endings=endings,
        ids=tuple((label, identity) for label, identity in ids if identity is not None),
        command=command_of(content.request.files),
    )


def command_of(files: Sequence[str]) -> tuple[str, ...]:
    """The words of the command that makes the same comparison in a terminal, quoted for a shell."""
    if len(files) != 2:
        return ()
    return ("opentine-gui", "diff", *[shlex.quote(clean(name, _LONGEST_PATH)) for name in files])


def shared_words(changes: Changes) -> str:
    """How much the runs share: "8 steps are the same in both runs"."""
    one = changes.shared == 1
    return f"{counted(changes.shared, 'step')} {'is' if one else 'are'} the same in both runs"


def _rank(root: RootDivergence) -> tuple[bool, int]:
    return (root.a is None or root.b is None, _PREFERRED.index(root.kind))


def _ending(letter: str, comparison: Comparison, side: int, check: str) -> Ending:
    record = (comparison.a, comparison.b)[side]
    tip = record.main_tip
    said = step_title(comparison, tip) if tip is not None else "no step"
    return Ending(letter, *status_words(record), tip, said, check)


def _telling(comparison: Comparison, root: RootDivergence) -> Iterator[DiffLine]:
    """The most telling differences: inputs before outputs, and at least one value from each side."""
    a, b = comparison.telling(root)
    if a is None or b is None:
        return
    try:
        fields = step_difference(graph_of(comparison, a).step(a), graph_of(comparison, b).step(b))
    except TineError as error:
        yield DiffLine("note", clean(error.message, 200))
        return
    paths = sorted(((field, path) for field in fields for path in field.paths), key=_weight)
    chosen = paths[:1]
    for missing in ("before", "after"):
        if chosen and getattr(chosen[0][1], missing) is ABSENT:
            chosen += [found for found in paths if getattr(found[1], missing) is not ABSENT][:1]
    for field, path in sorted(chosen, key=lambda found: found[1].before is ABSENT):
        yield from path_lines(field.name, path)
    rest = len(paths) - len(chosen) + sum(field.left_out for field in fields)
    if rest > 0:
        yield DiffLine("note", f"and {counted(rest, 'more difference')}")
    yield from passed_over(comparison, root)


def _weight(found: tuple[FieldDifference, PathDifference]) -> tuple[int, bool, bool]:
    field, path = found
    values: tuple[Any, Any] = (path.before, path.after)
    order = _FIELD_ORDER.index(field.name) if field.name in _FIELD_ORDER else len(_FIELD_ORDER)
    return (order, ABSENT in values, not any(isinstance(value, str) and " " in value for value in values))
