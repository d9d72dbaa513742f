"""docs/TUTORIAL.md is true: it is replayed; and a long failing run takes few actions from failure to saved fork."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.generate import agent_run
from docs.take_pictures import file_name
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.document.document import Document
from opentine_gui.core import verify, write
from tests.ui.journeys.tutorial import GOOD_ADDRESS, headings, replay
from tests.ui.opened import Opened, copy_of_demo

PAGE = Path(__file__).parents[3] / "docs" / "TUTORIAL.md"
RECORDED = Path(__file__).parents[2] / "data" / "recordings"
MOST_PRESSES, MOST_KEYS = 8, 10


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.keyboard.focus()
    yield window
    window.close()


def test_the_tutorial_can_be_followed_and_has_a_picture_of_every_section(opened: Opened) -> None:
    done = replay(opened, lambda heading: None)
    assert done == headings(PAGE)
    shown = re.findall(r"\(tutorial/([^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert shown == [file_name(number, heading) for number, heading in enumerate(done, start=1)]
    assert [name for name in shown if not (PAGE.parent / "tutorial" / name).exists()] == []
    assert GOOD_ADDRESS in PAGE.read_text(encoding="utf-8")
    assert verify(opened.session.working_folder / "research-01-fork.tine").ok


class Hands:
    """Counts what a user does: presses of the mouse, and keys; typing a text is neither."""

    def __init__(self, opened: Opened) -> None:
        self.opened, self.presses, self.keys = opened, 0, 0

    def press(self, name: str) -> None:
        """Click the last control of this name, with or without its key: what was opened last is listed last."""
        found: list[tuple[float, float]] = []

        def there() -> bool:
            found[:] = [
                (one.shown.x + one.shown.width / 2, one.shown.y + one.shown.height / 2)
                for one in self.opened.window.controls()
                if re.fullmatch(rf"(row \d+: )?{re.escape(name)}(\s+\S+)?", one.name)
                and one.shown is not None
                and not one.cover
            ]
            return bool(found)

        self.opened.until(there, f"{name!r} on screen")
        self.presses += 1
        self.opened.mouse.click(*found[-1])
        self.opened.rest()

    def key(self, chord: str) -> None:
        """Press a key or chord."""
        self.keys += 1
        self.opened.keyboard.press(chord)
        self.opened.rest()

    def write(self, text: str) -> None:
        """Type a text into the box that has the keyboard."""
        self.opened.until(lambda: self.opened.session.text_focused, "a text box")
        self.opened.keyboard.type(text)
        self.opened.rest()


@pytest.fixture
def long_run(opened: Opened) -> Path:
    """A run of 2,000 steps, some of which failed, in the window's folder."""
    path = opened.session.working_folder / "long.tine"
    write(path, agent_run(2000, run_id="long"))
    return path


def test_a_long_failing_run_is_forked_and_saved_with_few_keys(opened: Opened, long_run: Path) -> None:
    hands, source = Hands(opened), opened.open(long_run)
    opened.rest()
    hands.key("n")
    step = source.selection.primary
    assert source.record is not None and step is not None
    assert source.record.graph.failed[source.record.graph.index(step)]
    hands.key("e")
    hands.write("another word ")
    hands.key("ctrl+Return")
    opened.until(lambda: opened.document is not source, "the fork")
    hands.key("ctrl+s")
    opened.until(lambda: opened.window.prompter.visible, "a name")
    hands.key("Return")
    opened.until(lambda: not opened.document.dirty, "the saved fork")
    assert hands.keys <= MOST_KEYS
    assert opened.document.path is not None and verify(opened.document.path).ok


def test_a_long_failing_run_is_forked_and_saved_with_few_clicks(opened: Opened, long_run: Path) -> None:
    hands, source = Hands(opened), opened.open(long_run)
    opened.rest()
    hands.press("Next failure")
    step = source.selection.primary
    assert source.record is not None and step is not None
    assert source.record.graph.failed[source.record.graph.index(step)]
    hands.press("Fork and edit…")
    hands.write("another word ")
    hands.press("Fork")
    opened.until(lambda: opened.document is not source, "the fork")
    hands.press("File")
    hands.press("Save")
    opened.until(lambda: opened.window.prompter.visible, "a name")
    opened.rest()
    hands.press("Save")
    opened.until(lambda: not opened.document.dirty, "the saved fork")
    assert hands.presses <= MOST_PRESSES
    assert hands.keys == 0
    assert opened.document.path is not None and verify(opened.document.path).ok


@pytest.fixture(params=["claude-code/2.1.197-c-errors", "codex/0.169.0-c-errors"])
def session(request: pytest.FixtureRequest, opened: Opened) -> Path:
    """A session of an agent in which something failed, in the window's folder."""
    recorded = next(path for path in sorted((RECORDED / request.param).rglob("*.jsonl")) if path.parent.name != "plans")
    return Path(shutil.copy(recorded, opened.session.working_folder / "agent.jsonl"))


def test_the_prompt_before_a_failure_of_an_agent_is_changed_and_saved_with_few_keys(
    opened: Opened, session: Path
) -> None:
    hands, source = Hands(opened), opened.open(session)
    opened.rest()
    hands.key("n")
    hands.key("shift+e")
    opened.until(lambda: forked(opened).edit, "the prompt to change")
    hands.write(" Carefully.")
    hands.key("ctrl+Return")
    opened.until(lambda: opened.document is not source, "the fork")
    hands.key("ctrl+s")
    opened.until(lambda: opened.window.prompter.visible, "a name")
    hands.key("Return")
    opened.until(lambda: not opened.document.dirty, "the saved fork")
    assert hands.keys == 5 <= MOST_KEYS
    assert_prompt_was_changed(opened, source)


def test_the_prompt_before_a_failure_of_an_agent_is_changed_and_saved_with_few_clicks(
    opened: Opened, session: Path
) -> None:
    hands, source = Hands(opened), opened.open(session)
    opened.rest()
    hands.press("›")
    hands.press("Edit…")
    opened.until(lambda: forked(opened).prompt, "the call's form")
    hands.press("Edit the prompt")
    opened.until(lambda: forked(opened).prompt is None, "the prompt to change")
    opened.until(lambda: opened.window.proposal.form.boxes.active, "its box")
    hands.write(" Carefully.")
    hands.press("Fork")
    opened.until(lambda: opened.document is not source, "the fork")
    hands.press("File")
    hands.press("Save")
    opened.until(lambda: opened.window.prompter.visible, "a name")
    opened.rest()
    hands.press("Save")
    opened.until(lambda: not opened.document.dirty, "the saved fork")
    assert hands.presses == 7 <= MOST_PRESSES
    assert hands.keys == 0
    assert_prompt_was_changed(opened, source)


def forked(opened: Opened) -> ForkProposal:
    """The fork that is proposed."""
    opened.until(lambda: isinstance(opened.session.proposal, ForkProposal), "a proposal")
    assert isinstance(opened.session.proposal, ForkProposal)
    return opened.session.proposal


def assert_prompt_was_changed(opened: Opened, source: Document) -> None:
    """The saved fork ends with what was asked in the source, and what was typed behind it."""
    before, after = source.record, opened.document.record
    assert before is not None
    assert after is not None
    last, asked = after.graph.step(len(after.graph) - 1), [step for step in before.graph if step.shown_kind == "human"]
    assert last.shown_kind == "human"
    assert last.inputs["text"].removesuffix(" Carefully.") in [step.inputs["text"] for step in asked]
    assert last.inputs["text"].endswith(" Carefully.")
    assert opened.document.path is not None
    assert verify(opened.document.path).ok
