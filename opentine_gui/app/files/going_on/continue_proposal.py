"""The proposal to go on from a step in its agent: what will be written and run, in full, before it is done."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.going_on import handing_back
from opentine_gui.app.files.going_on.forked_session import reading_of
from opentine_gui.app.state.payload_form import Entry, entry_of
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import EditError
from opentine_gui.describe.step_titles import title as step_title
from opentine_gui.importers.reading import Reading

if TYPE_CHECKING:
    from opentine_gui.app.session import Session
    from opentine_gui.export.sessions import Handback


class ContinueProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Going on after `step`, or with `replaces` in the place of that prompt; `said` is the next prompt, a form
    of one text.

    `handback` is what will be done with the prompt `prepared_for`, None until a job has worked it out; `problem` says
    why it cannot be.
    """

    TYPED: ClassVar[tuple[str, ...]] = ("said",)

    document: Document
    reading: Reading
    step: str
    said: Entry
    replaces: bool = False
    handback: Handback | None = None
    prepared_for: str | None = None
    problem: str = ""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to go on from the same step have the same."""
        return "continue", self.document.number, self.step

    @property
    def prompt(self) -> str:
        """What is said next, "" to say it in the agent."""
        return self.said.text

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it."""
        return bool(self.said.changes)

    @property
    def step_title(self) -> str:
        """The step's title as its card has it."""
        return step_title(self.reading.record.graph.step(self.step))  # a fork may be without the step it replaces

    @property
    def agent(self) -> str:
        """The agent's name, as far as it is known already."""
        return self.handback.title if self.handback is not None else "its agent"

    @property
    def sentence(self) -> str:
        """What will be written and that nothing else changes."""
        if self.handback is None:
            return self.problem or "Working out what has to be written"
        files = self.handback.files
        writes = f"Writes {handing_back.size_words(files)}" if files else "Writes nothing: the agent does it by itself"
        if self.handback.takes_in and self.handback.is_here:
            writes += f" and runs {self.handback.takes_in[0]} {self.handback.takes_in[1]}"
        return f"{writes} · this session stays as it is"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        if self.problem:
            return self.problem
        return None if self.handback is not None and self.prepared_for == self.prompt else "Still being worked out."

    @property
    def run_refusal(self) -> str | None:
        """Why its command cannot be run here, or None; where there is one it can still be written, and copied."""
        handback = self.handback
        return None if handback is None or handback.folder_is_here else handing_back.folder_words(handback)

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document

    def accept(self, session: Session, *, run: bool = False) -> None:
        """Write the new session and open it, followed; with `run`, or where nothing is written, go on in a terminal.

        EditError if it is refused, or cannot be run. If it cannot be written, what was typed is there when the same is
        proposed again.
        """
        if self.handback is None or self.refusal is not None:
            raise EditError(self.refusal or "")
        run = run or not self.handback.files
        if run and self.run_refusal is not None:
            raise EditError(self.run_refusal.rstrip("."))
        session.proposal = None
        session.drafts.pop(self.subject, None)

        def keep_typed() -> None:
            if self.touched and self.document in session.documents:
                session.drafts[self.subject] = self

        handing_back.write(session, self.handback, run=run, not_written=keep_typed)


def propose_continuing(session: Session, document: Document, step: str) -> ContinueProposal:
    """The proposal to go on from a step. EditError where that cannot be."""
    record = document.record
    if record is None:
        raise EditError("the run is not open any more")
    step = record.resolve(step)
    reason = handing_back.refusal(session, document, step)
    reading = reading_of(session, document)
    if reason is not None or reading is None:
        raise EditError((reason or "").rstrip("."))
    if step not in reading.record.graph and (new := handing_back.prompt_in_fork(reading, record, step)) is not None:
        return ContinueProposal(document, reading, new[0], entry_of(new[1]), new[2])
    found = record.graph.step(step)
    text = found.inputs.get("text")
    replaces = found.v3_kind == "human" and isinstance(text, str)
    return ContinueProposal(document, reading, step, entry_of(text if replaces else ""), replaces)


def keep_prepared(session: Session) -> None:
    """Work out once what has to be done, and the command for each new prompt. Called in every `Session.step`."""
    proposal = session.proposal
    if not isinstance(proposal, ContinueProposal):
        return
    prompt, key = proposal.prompt, "continue"
    if proposal.prepared_for == prompt or session.jobs.is_running(key):
        return
    if proposal.handback is not None:
        asked = dataclasses.replace(proposal.handback, prompt=prompt)
        session.proposal = replace(proposal, handback=asked, prepared_for=prompt)
        return

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Handback:
        return handing_back.prepare(session, proposal.reading, proposal.step, prompt, replaces=proposal.replaces)

    def put(handback: Handback | None, problem: str) -> None:
        now = session.proposal
        if isinstance(now, ContinueProposal) and now.subject == proposal.subject:
            session.proposal = replace(now, handback=handback, prepared_for=prompt, problem=problem)

    def failed(error: Exception) -> None:
        said = error.message if isinstance(error, EditError) else str(error)
        put(None, f"{said[:1].upper()}{said[1:].rstrip('.')}.")

    def stopped() -> None:
        put(None, "Working out what has to be written was stopped; it begins again when the prompt changes.")

    session.jobs.submit(key, work, lambda found: put(found, ""), failed, priority=1, stopped=stopped)
