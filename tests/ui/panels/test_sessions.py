"""Agents' sessions with a real mouse and keyboard: opened from the list, read, followed while they grow, continued."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.importers.readers import read_source
from opentine_gui.ui.panels.agents.sessions import AgentSessionsPanel
from tests.ui.opened import Opened, copy_of_demo, first_of

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-e-rewind" / "home"


@pytest.fixture
def session_file(home: Path) -> Path:
    """A recorded session with a rewind, in the test's own home folder."""
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    return path


@pytest.fixture
def opened(tmp_path: Path, session_file: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.keyboard.focus()
    yield window
    window.close()


def test_a_session_is_opened_from_the_list_and_its_records_are_read(opened: Opened, session_file: Path) -> None:
    panel = opened.window.panels["sessions"]
    assert isinstance(panel, AgentSessionsPanel)
    opened.until(lambda: panel.in_use and len(panel.lines) >= 2 and panel.pane.shown, "the list of sessions")
    opened.rest()
    assert "Claude Code" in opened.drawn(panel.rows.drawlist)
    left, top = dpg.get_item_rect_min(panel.rows.drawlist)
    opened.mouse.click(left + 80, top + 1.5 * panel.rows.row_height)
    opened.until(lambda: opened.session.active and opened.session.active.origin, "the session opened")
    document = opened.document
    opened.until(lambda: opened.window.canvas.painted is document and not opened.session.busy, "its picture")
    step = first_of(opened, "tool")
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    opened.mouse.click(*opened.point(step))
    opened.keyboard.press("5")
    opened.until(lambda: opened.session.view.reading, "the reading view")
    opened.until(lambda: session_file.name[:12] in opened.words(opened.window.canvas.area), "the source's records")
    assert "offset" in opened.words(opened.window.canvas.area)


def press(opened: Opened, label: str) -> None:
    """Press the button of the empty window that begins with a text."""
    inside = dpg.get_item_children(opened.window.placeholder.window, 1)
    button = next(item for item in inside if str(dpg.get_item_label(item)).startswith(label))
    left, top = dpg.get_item_rect_min(button)
    width, height = dpg.get_item_rect_size(button)
    opened.mouse.click(left + width / 2, top + height / 2)


def test_an_empty_window_leads_to_the_demo_and_to_the_newest_sessions(opened: Opened, session_file: Path) -> None:
    for name, path in (("Open the demo", None), ("hello", session_file)):
        for document in list(opened.session.documents):
            opened.session.invoke("file.close", document=document.number)
        opened.until(lambda: opened.session.active is None and opened.session.agent_sessions.rows, "an empty window")
        opened.rest()
        if path is not None:
            row = opened.session.agent_sessions.rows[0]
            name = row.title[:4]
            texts = dpg.get_item_children(opened.window.placeholder.window, 1)[-1]
            assert f"{Path(row.folder).name} · Claude Code" in opened.drawn(texts)
        press(opened, name)
        opened.until(lambda: opened.session.active and opened.session.active.record, f"{name} opened")
        assert opened.document.path == (path or opened.document.path)
        assert path or opened.document.title == "research-01.tine"


def test_sessions_are_kept_with_a_switch_and_open_when_their_agent_deleted_them(
    opened: Opened, session_file: Path
) -> None:
    panel = opened.window.panels["sessions"]
    assert isinstance(panel, AgentSessionsPanel)
    opened.until(lambda: panel.in_use and len(panel.lines) >= 2 and panel.pane.shown, "the list of sessions")
    opened.rest()
    left, top = dpg.get_item_rect_min(panel.heading.drawlist)
    switch = next(zone for zone in panel.heading.zones if "archive is" in zone.hint)
    opened.mouse.click(left + (switch.x0 + switch.x1) / 2, top + (switch.y0 + switch.y1) / 2)
    keeping = opened.session.agent_sessions.keeping
    opened.until(lambda: len(keeping.pages) == 1 and not opened.session.busy, "the session kept")
    opened.rest()
    assert "1 · " in opened.drawn(panel.heading.drawlist)
    content = session_file.read_bytes()
    session_file.unlink()
    opened.session.agent_sessions.look(opened.session)
    opened.until(lambda: any(row.kept for row in opened.session.agent_sessions.rows), "the kept session listed")
    opened.rest()
    assert "kept" in opened.drawn(panel.rows.drawlist)
    left, top = dpg.get_item_rect_min(panel.rows.drawlist)
    opened.mouse.click(left + 80, top + 1.5 * panel.rows.row_height)
    opened.until(lambda: opened.session.active and opened.session.active.origin, "the kept copy opened")
    path = opened.document.path
    assert path is not None
    assert path.read_bytes() == content


def test_a_session_grows_on_the_canvas_while_its_agent_writes(opened: Opened, session_file: Path) -> None:
    whole = session_file.read_bytes()
    lines = whole.splitlines(keepends=True)
    session_file.write_bytes(b"".join(lines[:20]))
    document = opened.open(session_file)
    chosen = first_of(opened, "model")
    opened.mouse.click(*opened.point(chosen))
    opened.until(lambda: document.selection.primary == chosen, "the selected step")
    opened.rest()
    at, steps = opened.point(chosen), len(document.record.graph) if document.record is not None else 0
    with session_file.open("ab") as file:
        for line in lines[20:]:
            file.write(line)
            file.flush()
            opened.frame()
    written = len(read_source(session_file).record.graph)
    assert written > steps + 5
    # All of them: what is noticed late would be new again after the key.
    opened.until(lambda: document.record is not None and len(document.record.graph) == written, "the new steps")
    opened.rest()
    assert document.selection.primary == chosen
    assert opened.point(chosen) == pytest.approx(at, abs=1.5)
    status = opened.window.panels["status"]
    assert f"{len(document.live.news):,} new" in opened.drawn(status.pane.window)
    opened.keyboard.press("shift+End")
    opened.until(lambda: not document.live.news, "nothing new any more")
    assert session_file.read_bytes() == whole


def assert_that_keys_alone_run_nothing(opened: Opened) -> None:
    """The palette asks before it runs the session that was written; Enter, which chose it there, declines."""
    ran: list[tuple[str, ...]] = []
    opened.session.terminals.run = lambda command, _folder: ran.append(tuple(command))  # type: ignore[method-assign]
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: opened.window.palette.visible, "the palette open")
    opened.keyboard.type("run written session")
    opened.until(lambda: opened.session.view.palette_text == "run written session", "all letters in the box")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.window.prompter.visible, "the question")
    opened.keyboard.press("Return")
    opened.until(lambda: not opened.window.prompter.visible, "the question answered")
    opened.rest()
    assert ran == []


def test_a_step_is_continued_in_its_agent_and_taken_back(opened: Opened, session_file: Path) -> None:
    before = session_file.read_bytes()
    opened.open(session_file)
    step = first_of(opened, "model")
    opened.mouse.click(*opened.point(step))
    opened.rest()
    opened.keyboard.press("o")

    def ready() -> bool:
        proposal = opened.session.proposal
        return isinstance(proposal, ContinueProposal) and proposal.refusal is None

    opened.until(ready, "what will be written")
    opened.rest()
    shown = opened.drawn(opened.window.proposal.pane.window)
    assert "claude --resume" in shown
    assert "Write and run" in shown
    files = set(session_file.parent.iterdir())
    opened.frame()
    write = next(one for one in opened.window.controls() if one.name == "Write" and one.view == "Proposal")
    opened.mouse.click(*write.middle)
    opened.until(lambda: opened.session.handed_back, "the new session written")
    opened.rest()
    (written,) = set(session_file.parent.glob("*.jsonl")) - files
    assert opened.document.path == written
    assert opened.document.live.follows
    assert_that_keys_alone_run_nothing(opened)
    opened.session.invoke("continue.undo")
    opened.until(lambda: not written.exists(), "the new session removed")
    assert session_file.read_bytes() == before


def test_the_buttons_of_the_page_without_a_run_answer(opened: Opened) -> None:
    opened.rest()
    button = next(
        one for one in opened.window.controls() if one.name.startswith("Open file") and one.view == "Placeholder"
    )
    opened.mouse.click(*button.middle)
    opened.until(lambda: opened.window.prompter.visible, "the question for a file")


def test_a_fork_of_a_session_has_the_button_that_goes_on_in_the_agent(opened: Opened, session_file: Path) -> None:
    opened.session.invoke("file.open", path=session_file)
    opened.until(lambda: opened.session.active and opened.session.active.origin, "the session opened")
    document = opened.document
    opened.until(lambda: opened.window.canvas.painted is document and not opened.session.busy, "its picture")
    record = document.record
    assert record is not None
    opened.session.invoke("run.fork", step=record.graph.ids[-1])
    opened.until(lambda: opened.session.proposal is not None, "the proposal of the fork")
    opened.session.invoke("proposal.accept")
    opened.until(lambda: opened.document is not document and not opened.session.busy, "the fork")
    fork = opened.document
    opened.until(lambda: opened.window.canvas.painted is fork, "its picture")
    assert fork.record is not None
    opened.session.invoke("select.step", step=fork.record.graph.ids[-1])
    opened.rest()
    inspector = opened.window.panels["inspector"]
    assert "Continue" in opened.drawn(inspector.footer.drawlist)
