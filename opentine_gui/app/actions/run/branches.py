"""Branches of a run: give one a name, or make it the main one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, of_one_run, record_of, step_of, with_step
from opentine_gui.app.files.recovery.left_texts import AskedAbout
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.prompts import Answer, AskText
from opentine_gui.core import EditError
from opentine_gui.core.edit.branches import branch_names, name_branch, why_no_name, with_main
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NOT_THE_END = "Steps come after this one: select the last step of a branch."
IS_MAIN = "This is the main branch."


def _can_name(session: Session, **arguments: Any) -> str | None:
    return with_step(session, **arguments) or of_one_run(session, "name a branch")


@declare(
    ACTIONS,
    "run.name_branch",
    "Name branch…",
    "Give this step a name that is saved with the run, as the end of a branch; an empty one removes it.",
    enabled=_can_name,
    menu="Run/Branch",
    contexts=("step/Branch",),
)
def name_branch_here(session: Session, step: str | None = None, name: str | None = None) -> None:
    """Name a step, or ask for its name. EditError for a name that it cannot have."""
    document, record, chosen = document_of(session), record_of(session), step_of(session, step)
    named = branch_names(record, chosen)
    before = named[0] if named else ""
    asked = AskedAbout(session, "branch", document, chosen, before)

    def answered(answer: Answer | None) -> None:
        asked.answered()
        present = document.record  # another tab may have come to the front since, and this one may have gone on
        if not isinstance(answer, str) or answer.strip() == before or document not in session.documents:
            return
        end = document.present_id(chosen)  # it may have got its result while the name was typed
        if present is None or end not in present.graph:
            raise EditError("the step that was to be named is not in the run any more")
        changed = name_branch(present, end, answer, instead_of=before)
        if changed is not present:
            session.apply(document, ReplaceRun(changed, "Name branch" if answer.strip() else "Remove branch name"))

    def refused(text: str) -> str:
        return why_no_name(document.record or record, text, document.present_id(chosen)) if text else ""

    if name is not None:
        answered(name)
        return
    what = title(record.graph.step(chosen))
    question = AskText(
        "Name branch",
        f"Ends at {clean(what, 80)}",
        "Save name" if before else "Name",
        asked.value,
        left=asked.left,
        refusal=lambda text: refused(text.strip()),
    )
    session.ask(question, answered)


def _can_be_main(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step=step) or of_one_run(session, "choose the main branch")
    if reason is not None:
        return reason
    record, chosen = record_of(session), step_of(session, step)
    if record.graph.children_of(record.graph.index(chosen)):
        return NOT_THE_END
    return IS_MAIN if record.main_tip == chosen else None


@declare(
    ACTIONS,
    "run.main_branch",
    "Make this the main branch",
    "Let the run end at this step: what was the main branch stays beside it.",
    enabled=_can_be_main,
    menu="Run/Branch",
    contexts=("step/Branch",),
)
def main_branch(session: Session, step: str | None = None) -> None:
    """Make the branch that ends at a step the main one, as an undoable edit."""
    document = document_of(session)
    chosen = step_of(session, step)
    session.apply(document, ReplaceRun(with_main(record_of(session), chosen), "Make main branch"))
    document.picture.reveal_when_laid_out = chosen
