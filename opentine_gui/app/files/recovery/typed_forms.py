"""What was typed into forms and not done: which form it is, of which step and run, and the way back to it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.features import Proposal
    from opentine_gui.app.session import Session

FORMS = {
    "fork": ("Fork and edit of", "run.fork_edit"),
    "step": ("A step after", "run.add_step"),
    "change": ("A change of", "run.change_step"),
    "merge": ("A merge of", "run.merge"),
    "details": ("Title and tags of", "run.edit_details"),
    "continue": ("Going on after", "continue.propose"),
    "note": ("A note of", "step.note"),
    "branch": ("The name of the branch at", "run.name_branch"),
    "command": ("A command to go on from", "continue.propose"),
}
"""What each form is called before its step, and the action that brings it up again with what was typed."""
MOST_NAMED = 2


class TypedForm(NamedTuple):
    """A form that was typed into: what it is, the steps it is about with their documents, and a document."""

    kind: str
    steps: tuple[tuple[Document, str], ...]
    document: Document

    @property
    def name(self) -> str:
        """Form, step and run: "Fork and edit of step 328 in “Look at the cat”"."""
        form, _ = FORMS[self.kind]
        run = f"“{clean(self.document.title, 60)}”"
        record = self.document.record
        if not self.steps or record is None:
            return f"{form} {run}"
        if len(self.steps) > 1:
            return f"{form} {counted(len(self.steps), 'step')} in {run}"
        step = self.steps[0][1]
        place = f"step {record.graph.index(step) + 1:,}" if step in record.graph else "a step"
        return f"{form} {place} in {run}"

    @property
    def is_there(self) -> bool:
        """Whether it can be brought up: not while its step is gone, as by undo."""
        return all(document.present_step(step) == step for document, step in self.steps)


def typed_forms(session: Session, document: Document | None = None) -> list[TypedForm]:
    """The forms that were typed into and not done, of one document or of all; the one that is open comes first."""
    present = session.proposal
    found: list[Proposal] = [present] if present is not None and present.touched else []
    found += [draft for subject, draft in session.drafts.items() if not found or subject != found[0].subject]
    forms = [_form(session, one) for one in found if document is None or one.concerns(document)]
    return [form for form in forms if form is not None]


def named(forms: list[TypedForm]) -> str:
    """The first of the forms by name, and how many more there are."""
    more = f", and {counted(len(forms) - MOST_NAMED, 'more form')}" if len(forms) > MOST_NAMED else ""
    first, *others = [form.name for form in forms[:MOST_NAMED]]
    return " and ".join((first, *(f"{name[:1].lower()}{name[1:]}" for name in others))) + more


def show_form(session: Session, form: TypedForm) -> None:
    """Bring a form up again, with what was typed into it; one that is open stays."""
    present = session.proposal
    if present is not None and present.touched and _form(session, present) == form:
        return
    session.activate(form.document)
    _, action = FORMS[form.kind]
    if form.kind == "merge":
        session.invoke(action, parents=[(document.number, step) for document, step in form.steps])
    elif form.kind == "details":
        session.invoke(action)
    elif form.kind == "fork":
        session.invoke(action, step=form.steps[0][1], instead=True)
    else:
        session.invoke(action, step=form.steps[0][1])


def _form(session: Session, proposal: Proposal) -> TypedForm | None:
    """What a proposal is about, from its subject: that of work that was recovered has nothing else."""
    subject = proposal.subject
    if not isinstance(subject, tuple) or not subject or subject[0] not in FORMS:
        return None
    parts: tuple[Hashable, ...] = subject[1:]
    pairs = parts[0] if parts and isinstance(parts[0], tuple) else (parts[:2],)
    steps: list[tuple[Document, str]] = []
    document: Document | None = None
    for pair in pairs:
        number = pair[0] if isinstance(pair, tuple) and pair else None
        found = session.document(number) if isinstance(number, int) else None
        if found is None:
            return None
        document = document or found
        if len(pair) > 1 and isinstance(pair[1], str):
            steps.append((found, pair[1]))
    return TypedForm(subject[0], tuple(steps), document) if document is not None else None
