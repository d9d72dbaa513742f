"""The proposal of a merge: several steps as the parents of a new one, shown and changed before it is accepted.

Where the document shows several runs, each step is taken from a run that has it, and the merge is a new run.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec.structs import replace

from opentine_gui.app.canvas.made_documents import MadeFrom, made_from, open_made, present_record
from opentine_gui.app.canvas.proposals.fork_proposal import Origin
from opentine_gui.app.document.camera.arrival import arrival_at
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.tab_names import TINE
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.payload_form import EMPTY, Entry, entry_of, object_problem
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import EditError, MergePreview, RunRecord, StepKind, merge, preview_merge, short_id
from opentine_gui.describe.difference_lines import steps_told_apart
from opentine_gui.describe.numbers import counted, format_count
from opentine_gui.describe.step_titles import title as step_title
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.told_apart import told_apart

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_OF_TITLE = 32
"""Letters of a step's title in a reason why it cannot be merged."""
MOST_OF_RUN, MOST_OF_STEP = 40, 60
"""Letters of a run's and of a step's title in what is said of the parents."""


class ParentRun(msgspec.Struct, frozen=True, eq=False):
    """The run a parent is taken from: that of a document, or `origin` where the document shows several."""

    document: Document
    origin: Origin | None = None
    letter: str = ""

    @property
    def record(self) -> RunRecord:
        """The run. EditError if it was closed or is not read yet."""
        return self.origin.record if self.origin is not None else present_record(self.document)

    @property
    def tab(self) -> str:
        """What its tab is called: with the ending of its file."""
        return self.origin.title if self.origin is not None else self.document.title

    @property
    def title(self) -> str:
        """The run's name."""
        return self.tab.removesuffix(TINE)

    def made_from(self, session: Session) -> MadeFrom:
        """What a run made of it says it comes from."""
        return self.origin.made_from(session) if self.origin is not None else made_from(self.document)


class MergeProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A merge: steps of one or several documents become the ordered parents of one new step.

    `runs` are the runs of the parents, one for each. `kind`, the forms `inputs` and `outputs`, and `title` are what the
    user may change.
    """

    TYPED: ClassVar[tuple[str, ...]] = ("kind", "inputs", "outputs", "title")

    parents: tuple[tuple[Document, str], ...]
    runs: tuple[ParentRun, ...]
    preview: MergePreview
    kind: str = StepKind.MODEL.value
    inputs: Entry = EMPTY
    outputs: Entry = EMPTY
    title: str = ""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to merge the same steps have the same, in whichever order these are."""
        return "merge", tuple(sorted((document.number, step) for document, step in self.parents))

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it, or chose a kind."""
        return bool(self.inputs.changes or self.outputs.changes or self.title or self.kind != StepKind.MODEL.value)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents the parents are in, without repetition."""
        return tuple(dict.fromkeys(document for document, _ in self.parents))

    @property
    def sources(self) -> tuple[ParentRun, ...]:
        """The runs the parents are in, without repetition."""
        return tuple(dict.fromkeys(self.runs))

    @property
    def within_one(self) -> bool:
        """Whether it is an edit of one document rather than a new one."""
        return len(self.sources) == 1 and self.sources[0].origin is None

    @cached_property
    def parent_titles(self) -> tuple[str, ...]:
        """The parents' titles in order, in words that tell them apart, with their runs where these are several."""
        titles = _titles_of(self.parents, MOST_OF_STEP)
        if self.within_one:
            return titles
        names = dict(zip(self.sources, _names_of(self.sources), strict=True))
        return tuple(f"{names[run]}: {title}" for run, title in zip(self.runs, titles, strict=True))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that do not prevent the merge."""
        return tuple(self.preview.warnings)

    @property
    def sentence(self) -> str:
        """What the merge makes, as a sentence."""
        count = format_count(len(self.parents))
        if self.within_one:
            return f"Adds 1 step with {count} parents to {self.documents[0].title}"
        count = counted(self.preview.union + 1, "step")
        names = " and ".join(_names_of(self.sources, files=True))
        stays = "stays as it is" if len(self.sources) == 1 else "stay as they are"
        return f"Makes a new run with {count} · {names} {stays}"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        if self.preview.refusals:
            return self.preview.refusals[0]
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the forms, or None; cached, for it is asked every frame and they may be long."""
        return object_problem(self.inputs, "Inputs") or object_problem(self.outputs, "Outputs")

    def swapped(self) -> MergeProposal:
        """The same merge with its parents in reverse order; what the user typed stays."""
        other = propose_merge(self.parents[::-1])
        inputs = self.inputs if self.inputs.changes else other.inputs
        return replace(other, kind=self.kind, inputs=inputs, outputs=self.outputs, title=self.title)

    def concerns(self, document: Document | None) -> bool:
        """Whether one of the parents is in this document."""
        return any(document is other for other in self.documents)

    def accept(self, session: Session) -> None:
        """Merge: inside one run an undoable edit of its document, across runs a new unsaved document.

        EditError if one of the runs is closed or the merge is refused.
        """
        if any(run.origin is None and run.document.record is None for run in self.sources):
            raise EditError("one of the runs is not open any more")
        present = [run.record for run in self.sources]
        chosen = [(self.sources.index(run), step) for run, (_, step) in zip(self.runs, self.parents, strict=True)]
        merged = merge(
            present,
            chosen,
            kind=StepKind(self.kind),
            inputs=self.inputs.value,
            outputs=self.outputs.value or None,
            title=self.title.strip() or None,
            now=session.now(),
            nonce=session.nonce(),
            new_run=not self.within_one,
        )
        added = next((i for i in reversed(merged.graph.ids) if all(i not in r.graph for r in present)), None)
        if not self.within_one:
            name = self.title.strip() or "Merge of " + " and ".join(run.title for run in self.sources)
            front = next((document for document in self.documents if document is session.active), self.documents[0])
            sources = [run.made_from(session) for run in self.sources]
            result = open_made(session, sources, merged, name, "merged", added)
            result.made_in = front.number
            if added is not None:
                parent = next(step for document, step in self.parents if document is front)
                result.picture.arrival = arrival_at(parent, front.picture, parent, session.viewport)
        else:
            document = self.documents[0]
            session.activate(document)
            session.apply(document, ReplaceRun(merged, "Merge"))
            if added is not None:
                document.select(Selection((added,)))
                document.picture.reveal_when_laid_out = added
        session.proposal = None
        session.drafts.pop(self.subject, None)


def propose_merge(parents: Sequence[tuple[Document, str]]) -> MergeProposal:
    """The proposal to merge these steps, in this order; the default inputs name their titles.

    EditError if none of the runs that a document shows has a step.
    """
    chosen = tuple((document, present_record(document).resolve(step)) for document, step in parents)
    documents = tuple(dict.fromkeys(document for document, _ in chosen))
    titles = [step_title(document.step(step)) for document, step in chosen]

    def named(identity: str) -> str:
        """A step as the user knows it; its id as well where another one to merge is called the same."""
        document = next(one for one in documents if identity in present_record(one).graph)
        title = step_title(document.step(identity))
        words = f"“{clean(title, MOST_OF_TITLE)}”"
        alike = {step for other, (_, step) in zip(titles, chosen, strict=True) if other == title} - {identity}
        return f"{words} ({short_id(identity)})" if alike else words

    runs = _runs_of(chosen)
    sources = list(dict.fromkeys(runs))
    preview = preview_merge(
        [run.record for run in sources],
        [(sources.index(run), step) for run, (_, step) in zip(runs, chosen, strict=True)],
        named=named,
    )
    said = titles if len(set(titles)) == len(titles) else _titles_of(chosen, MOST_OF_STEP)
    return MergeProposal(chosen, runs, preview, inputs=entry_of({"prompt": "Compare: " + " / ".join(said)}))


def _titles_of(parents: Sequence[tuple[Document, str]], most: int) -> tuple[str, ...]:
    return steps_told_apart([document.step(step) for document, step in parents], most)


def _names_of(runs: Sequence[ParentRun], *, files: bool = False) -> tuple[str, ...]:
    """The letters of a comparison's runs, else the titles, or their `files`, in words that tell them apart."""
    if all(run.letter for run in runs):
        return tuple(run.letter for run in runs)
    return told_apart([run.tab if files else run.title for run in runs], MOST_OF_RUN)


def _runs_of(parents: Sequence[tuple[Document, str]]) -> tuple[ParentRun, ...]:
    """The run each step is taken from. Of several shown together that is one for all steps, if one has them all."""
    of: dict[tuple[int, int | None], ParentRun] = {}
    found = []
    for document, step in parents:
        number = _number_of(document, step, [other for owner, other in parents if owner is document])
        if (document.number, number) not in of:
            of[document.number, number] = _parent_run(document, number)
        found.append(of[document.number, number])
    return tuple(found)


def _number_of(document: Document, step: str, steps: Sequence[str]) -> int | None:
    """Which of the runs that a document shows a step is taken from; None where it shows one."""
    overlay = document.overlay
    if overlay is None:
        return None
    family = overlay.family
    holders = [set(family.runs_of(family.graph.index(one))) for one in steps]
    common = set.intersection(*holders)
    own = overlay.holder(step)
    if common:
        return own if own in common else min(common, key=lambda run: (run in overlay.hidden, run))
    return own


def _parent_run(document: Document, number: int | None) -> ParentRun:
    overlay = document.overlay
    if overlay is None or number is None:
        return ParentRun(document)
    run, record = overlay.runs[number], overlay.family.records[number]
    return ParentRun(document, Origin(number, record, run.title, run.document, run.path), run.letter)
