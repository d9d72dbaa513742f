"""Proposals: what a fork or a merge will do, shown and changed by the user before it is accepted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from opentine_gui.app.canvas import layouts
from opentine_gui.app.document.document import Document, Source
from opentine_gui.app.files import opening
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import (
    EditError,
    ForkPreview,
    FormatError,
    MergePreview,
    RunRecord,
    StepKind,
    Totals,
    fork,
    fork_and_edit,
    merge,
    preview_fork,
    preview_merge,
)
from opentine_gui.core.format.checks import read_object
from opentine_gui.describe.numbers import NOT_RECORDED, counted, format_count, format_duration, total_cost
from opentine_gui.describe.step_titles import title as step_title

if TYPE_CHECKING:
    from opentine_gui.app.session import Session
    from opentine_gui.layout import Layout


class Origin(msgspec.Struct, frozen=True):
    """The run to fork where the document shows several: its record, title, and document or file."""

    record: RunRecord
    title: str
    document: int | None = None
    path: Path | None = None


class ForkProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A fork at a step, or with `edit` a fork with a sibling of the step that has other inputs.

    `title`, `tags` (separated by commas) and `inputs` (JSON text) are what the user may change before accepting.
    `origin` is None when the document is the run that is forked.
    """

    document: Document
    step: str
    preview: ForkPreview
    edit: bool = False
    title: str = ""
    tags: str = ""
    inputs: str = ""
    reset_metrics: bool = False
    origin: Origin | None = None

    @property
    def step_title(self) -> str:
        """The step's title as its card has it."""
        return step_title(self.document.step(self.step))

    @property
    def sentence(self) -> str:
        """What is kept and dropped, and that the source stays as it is."""
        kept, dropped = self.preview.kept_totals, self.preview.dropped_totals
        kept_steps = counted(kept.steps, "step")
        steps = f"{kept_steps} and this one with other inputs" if self.edit else kept_steps
        time = [format_duration(kept.duration)] if kept.duration > 0 else []
        keeps = ", ".join([steps, *_cost(kept), *time])
        drops = ", ".join([format_count(dropped.steps), *_cost(dropped)])
        whose = f"of {self.origin.title}: " if self.origin is not None else ""
        return f"{whose}keeps {keeps} · drops {drops} · the source stays as it is"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the text, or None; cached, for it is asked every frame and the text may be long."""
        return _object_problem(self.inputs, "The inputs") if self.edit else None

    def dropped_indices(self, layout: Layout) -> frozenset[int]:
        """The cards of the source's layout that the fork drops."""
        kept = {layout.index.get(step) for step in (*self.preview.kept_ids, self.step)}
        return frozenset(index for index in range(len(layout.nodes)) if index not in kept)

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document

    def accept(self, session: Session) -> None:
        """Fork, in a job if there are many steps, and open the result as an unsaved document.

        The proposal stays until the fork is there, so that nothing typed is lost if it fails.
        """
        origin = self.origin
        record = origin.record if origin is not None else self.document.record
        if record is None:
            raise EditError("the run is not open any more")
        options: dict[str, Any] = {
            "title": self.title.strip() or None,
            "tags": [tag for tag in self.tags.split(",") if tag.strip()] or None,
            "reset_metrics": self.reset_metrics,
            "now": session.now(),
            "nonce": session.nonce(),
        }
        of = origin.title if origin is not None else self.document.title.removesuffix(".tine")
        name = self.title.strip() or f"Fork of {of}"

        def make() -> RunRecord:
            if self.edit:
                return fork_and_edit(record, self.step, inputs=_object(self.inputs), **options)
            return fork(record, self.step, **options)

        def made(forked: RunRecord) -> None:
            selected = forked.graph.ids[-1] if self.edit else self.step
            source = session.document(origin.document or 0) if origin is not None else self.document
            if source is not None:
                layouts.borrow_layout(open_result(session, [source], forked, name, "fork", selected), source)
            elif origin is not None:
                paths = (origin.path,) if origin.path is not None else ()
                open_unsaved(session, forked, Source(name, paths, (record.run_id,), "fork"), selected)
            if session.proposal is self:
                session.proposal = None

        session.jobs.compute("fork", make, made, steps=len(record.graph), title=f"Forking {of}")


class MergeProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A merge: steps of one or several documents become the ordered parents of one new step.

    `kind`, `inputs` and `outputs` (JSON text, outputs may be empty) and `title` are what the user may change.
    """

    parents: tuple[tuple[Document, str], ...]
    preview: MergePreview
    kind: str = StepKind.MODEL.value
    inputs: str = "{}"
    outputs: str = ""
    title: str = ""

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents the parents are in, without repetition."""
        return tuple(dict.fromkeys(document for document, _ in self.parents))

    @property
    def within_one(self) -> bool:
        """Whether it is an edit of one document rather than a new one."""
        return len(self.documents) == 1

    @property
    def parent_titles(self) -> tuple[str, ...]:
        """The parents' titles in order."""
        return tuple(step_title(document.step(step)) for document, step in self.parents)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that do not prevent the merge."""
        return tuple(self.preview.warnings)

    @property
    def sentence(self) -> str:
        """What the merge makes, as a sentence."""
        count = format_count(len(self.parents))
        if self.within_one:
            return f"adds 1 step with {count} parents to {self.documents[0].title} · undo takes it back"
        count = counted(self.preview.union + 1, "step")
        names = " and ".join(document.title for document in self.documents)
        return f"makes a new run of {names} with {count} · the sources stay as they are"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        if self.preview.refusals:
            return self.preview.refusals[0]
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the texts, or None; cached, for it is asked every frame and they may be long."""
        problem = _object_problem(self.inputs, "The inputs")
        if problem is None and self.outputs.strip():
            problem = _object_problem(self.outputs, "The outputs")
        return problem

    def swapped(self) -> MergeProposal:
        """The same merge with its parents in reverse order; what the user typed stays."""
        other = propose_merge(self.parents[::-1])
        inputs = other.inputs if self.inputs == propose_merge(self.parents).inputs else self.inputs
        return replace(other, kind=self.kind, inputs=inputs, outputs=self.outputs, title=self.title)

    def concerns(self, document: Document | None) -> bool:
        """Whether one of the parents is in this document."""
        return any(document is other for other in self.documents)

    def accept(self, session: Session) -> None:
        """Merge: inside one run an undoable edit of its document, across runs a new unsaved document."""
        records = [document.record for document in self.documents]
        present = [record for record in records if record is not None]
        if len(present) != len(records):
            raise EditError("one of the runs is not open any more")
        chosen = [(self.documents.index(document), step) for document, step in self.parents]
        merged = merge(
            present,
            chosen,
            kind=StepKind(self.kind),
            inputs=_object(self.inputs),
            outputs=_object(self.outputs) if self.outputs.strip() else None,
            title=self.title.strip() or None,
            now=session.now(),
            nonce=session.nonce(),
        )
        added = next((i for i in reversed(merged.graph.ids) if all(i not in r.graph for r in present)), None)
        if not self.within_one:
            name = self.title.strip() or "Merge of " + " and ".join(
                d.title.removesuffix(".tine") for d in self.documents
            )
            open_result(session, list(self.documents), merged, name, "merged", added)
        else:
            document = self.documents[0]
            session.activate(document)
            session.apply(document, ReplaceRun(merged, "Merge"))
            if added is not None:
                document.select(Selection((added,)))
        session.proposal = None


Proposal = ForkProposal | MergeProposal


def current_proposal(session: Session) -> Proposal | None:
    """The session's proposal, or None."""
    return session.proposal if isinstance(session.proposal, Proposal) else None


def propose_fork(document: Document, step: str, *, edit: bool = False, run: int | None = None) -> ForkProposal:
    """The proposal to fork at a step. TineError for an unknown step.

    Where the document shows several runs, `run` is the one to fork, by default the one `Overlay.holder` names.
    """
    record = _present(document)
    step = record.resolve(step)
    if document.overlay is not None:
        overlay = document.overlay
        chosen = overlay.holder(step) if run is None else run
        if chosen is None or not 0 <= chosen < len(overlay.runs):
            raise EditError("none of the runs has this step")
        shown, record = overlay.runs[chosen], overlay.family.records[chosen]
        origin = Origin(record, shown.title, shown.document, shown.path)
        return ForkProposal(document, step, preview_fork(record, step), origin=origin)
    inputs = json.dumps(record.graph.step(step).inputs, indent=2, ensure_ascii=False) if edit else ""
    return ForkProposal(document, step, preview_fork(record, step, edited=edit), edit=edit, inputs=inputs)


def propose_merge(parents: Sequence[tuple[Document, str]]) -> MergeProposal:
    """The proposal to merge these steps, in this order; the default inputs name their titles."""
    chosen = tuple((document, _present(document).resolve(step)) for document, step in parents)
    documents = tuple(dict.fromkeys(document for document, _ in chosen))
    preview = preview_merge(
        [_present(document) for document in documents],
        [(documents.index(document), step) for document, step in chosen],
    )
    titles = [step_title(document.step(step)) for document, step in chosen]
    inputs = json.dumps({"prompt": "Compare: " + " / ".join(titles)}, indent=2, ensure_ascii=False)
    return MergeProposal(chosen, preview, inputs=inputs)


def with_fields(proposal: Proposal, **fields: Any) -> Proposal:
    """The proposal with fields the user changed. EditError for a field it does not have."""
    allowed = {"title", "inputs"} | (
        {"tags", "reset_metrics"} if isinstance(proposal, ForkProposal) else {"kind", "outputs"}
    )
    unknown = set(fields) - allowed
    if unknown:
        raise EditError(f"a proposal has no field {sorted(unknown)[0]!r} to change")
    result = replace(proposal, **fields)
    if fields.keys().isdisjoint(("inputs", "outputs")) and "problem" in vars(proposal):
        vars(result)["problem"] = proposal.problem
    return result


def open_result(
    session: Session, sources: Sequence[Document], record: RunRecord, title: str, word: str, select: str | None
) -> Document:
    """Open a fork or merge of open documents as an unsaved document."""
    paths: list[Path] = []
    run_ids: list[str] = []
    for document in sources:
        paths.extend([document.path] if document.path is not None else document.source.paths if document.source else ())
        if document.record is not None:
            run_ids.append(document.record.run_id)
    source = Source(title, tuple(dict.fromkeys(paths)), tuple(run_ids), word)
    return open_unsaved(session, record, source, select)


def open_unsaved(session: Session, record: RunRecord, source: Source, select: str | None) -> Document:
    """Open a run that is in no file yet, with a step selected."""
    state = opening.state_with_pins(record, opening.remembered_pins(session.position_store, record))
    result = session.add_document(state=state, source=source)
    if select is not None and select in record.graph:
        result.select(Selection((select,)))
    return result


def _present(document: Document) -> RunRecord:
    if document.record is None:
        raise EditError("the run is not open any more")
    return document.record


def _object(text: str) -> dict[str, Any]:
    try:
        return read_object(text)
    except FormatError as error:
        raise EditError(f"The payload cannot be used: {error}") from error


def _object_problem(text: str, what: str) -> str | None:
    try:
        read_object(text)
    except FormatError as error:
        return f"{what} cannot be used: {error}"
    return None


def _cost(totals: Totals) -> list[str]:
    """The cost of the steps as a part of a sentence; nothing for no steps."""
    if not totals.steps:
        return []
    said = total_cost(totals)
    return [f"cost {said}" if said == NOT_RECORDED else said]
