"""The sections of a step, most important first: why it failed, what came out of it, what was asked for.

Real files show which members of a payload are its prompt, its answer, its result or its call (docs/FORMAT.md, section
3.2); whatever has no known name is shown under "Also recorded", so that nothing is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from opentine_gui.app.inspect.step.section import Section, label
from opentine_gui.app.inspect.step.tool_sections import tool_sections
from opentine_gui.app.inspect.step.word_sections import word_sections
from opentine_gui.core import RunRecord, Step, StepKind
from opentine_gui.describe.failures.failure import Failure, failure_of
from opentine_gui.describe.payload_text import has_text
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import ELLIPSIS

_MOST_PARENTS = 12


def step_sections(record: RunRecord, step: Step) -> tuple[Section, ...]:
    """The sections of a step: the error, then what came out of it, then what was asked for.

    They exclude the stored record and the conversation that leads to a step (`stored_step`, `transcript_turns`).
    """
    failure = failure_of(step)
    if _is_tool(step):
        # Why a call failed mostly stands in what it printed: that is shown whole, once, as its result.
        told = failure.paths[:1] if failure is not None else ()
        results = [*tool_sections(step, told)]
        return (*_error(failure, [part.value for part in results if part.role == "result"]), *results)
    sections = [*_error(failure)]
    taken = set(failure.paths) if failure is not None else set()
    words = list(word_sections(step, taken))
    if step.shown_kind in ("model", "done") and not any(section.role == "turn" for section in words):
        sections += _told_last(record, step)
    return (*sections, *words)


def _is_tool(step: Step) -> bool:
    return step.kind is StepKind.TOOL and not step.v3_kind


def _error(failure: Failure | None, results: Collection[Any] = ()) -> Iterator[Section]:
    """The parts of an error that no text among the results of its step has in it."""
    if failure is None:
        return
    path = failure.paths[0] if failure.paths else ()
    if has_text(failure.message) and not _stands_in(failure.message, results):
        yield Section("Error", failure.message, "error", path=path)
    if failure.traceback and not _stands_in(failure.traceback, results):
        yield Section("Traceback", failure.traceback, "error", path=path)
    if failure.facts:
        yield Section("About the error", dict(failure.facts), "error", path=path)


def _stands_in(text: str, results: Collection[Any]) -> bool:
    said = text.strip().removesuffix(ELLIPSIS)  # a reader of logs may have kept the beginning alone
    return any(said in result for result in results if isinstance(result, str))


def _told_last(record: RunRecord, step: Step) -> Iterator[Section]:
    """What a model was told last if its own record does not say: the results and words of its parents."""
    for identity in step.parent_ids[-_MOST_PARENTS:]:
        if identity not in record.graph:
            continue
        parent = record.graph.step(identity)
        sections = tool_sections(parent, ()) if _is_tool(parent) else word_sections(parent, ())
        said = next((found for found in sections if found.role in ("result", "turn", "answer")), None)
        if said is not None:
            name, opened = label(title(parent)), parent.shown_kind == "human"
            yield said._replace(name=name, role="turn", opened=opened, step=identity)
