"""The window that is crawled: brought into a state, asked what can be pressed in it, pressed, and put back.

Listens to what reacts to a press: the controls that answered, and the actions that ran, each with its source.
"""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import msgspec

from opentine_gui.ui.toolkit.controls import ITEMS, Control
from tests.ui.crawl.scenes import Scene
from tests.ui.crawl.states import State, Target, Way, known_by
from tests.ui.opened import DEMO, Opened

STEADY = ("button", "tab", "checkbox", "list", "box", "slider")
"""Kinds by which a state is known; the others follow the document."""
USED_OTHERWISE = ("box", "splitter", "scroll bar", "list", "slider")
"""Kinds that take more than a press."""
STILL, FORM_STILL, LONGEST_SETTLING, ANSWER = 2, 8, 16, 24
"""Frames without any change after which a view has caught up, and a form that scrolls to the box it gave the keyboard;
the most that may take; and those within which a press is answered."""
ON_ITS_WAY = 0.5
"""Seconds that a press may take from the display to the window where the machine is busy."""
BETWEEN_FRAMES = 0.02
"""Seconds between two frames where only time has to pass: more frames would take the processor from other tests."""
DOUBLE, NEAR = 0.4, 8.0
"""Seconds and pixels within which a second press makes a double click."""


class Stage:
    """One scene in one window, in one scale and theme."""

    def __init__(self, opened: Opened, scene: Scene, runs: Path, *, scale: float, theme: str) -> None:
        self.opened, self.scene, self.runs = opened, scene, runs
        self.scale, self.theme = scale, theme
        self.acted: list[tuple[int, str]] = []
        self.invoked: list[tuple[tuple[int, str] | None, str]] = []
        self.use_again: Callable[[Control], object] = lambda _control: None
        """Types into a box or drags a splitter as was done when that led to a state."""
        self._pressed_at = 0.0
        self._listed: tuple[object, list[Control]] = (None, [])
        self._base: dict[str, Any] = {}

    # --- states ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the scene in a new session."""
        if self.opened.session.presentation is not None:
            self.opened.session.presentation.stop(self.opened.session)
            self.settle()  # the window leaves the full screen
        self.opened.start_again(scale=self.scale, between=self._forget)
        session = self.opened.session
        session.settings.motion = False
        session.view.theme = self.theme
        self._listen()
        self.opened.keyboard.focus()
        self.scene(self.opened, self.runs)
        self.rest()
        self._base = {
            "view": msgspec.structs.asdict(session.view),
            "settings": msgspec.structs.asdict(session.settings),
            "documents": tuple(session.documents),
            "states": tuple(document.state for document in session.documents),
            "pictures": [(vars(document.folding).copy(), document.direction) for document in session.documents],
            "search": (session.search.text, session.search.scope, session.search.regex),
            "files": self._files(),
            "closed tabs": tuple(session.closed_tabs),
            "active": session.active,
            "selection": session.active.selection if session.active is not None else None,
            "camera": session.active.picture.camera if session.active is not None else None,
            "presentation": session.presentation,
        }

    def _forget(self) -> None:
        """Put the files back as they were, and forget every setting."""
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            shutil.rmtree(os.environ[f"XDG_{name}_HOME"], ignore_errors=True)
        shutil.rmtree(self.runs)
        shutil.copytree(DEMO, self.runs, ignore=shutil.ignore_patterns("*.py", "__pycache__"))

    def _listen(self) -> None:
        session, invoke = self.opened.session, self.opened.session.invoke
        controls = self.opened.window.style.controls

        def spy(action_id: str, /, **arguments: Any) -> None:
            self.invoked.append((controls.acting, action_id))
            invoke(action_id, **arguments)

        session.invoke = spy  # type: ignore[method-assign]
        controls.acted = self._heard

    def _heard(self, item: int, name: str) -> None:
        if "Handler" not in dpg.get_item_type(item):
            self.acted.append((item, name))

    def reach(self, state: State, pains: int = 0) -> bool:
        """Bring the window into a state; False if it cannot be reached again.

        With `pains` of 1 it goes there from the scene although it may be there, with 2 from a scene that is new.
        """
        if not pains and self.key() == state.key and self._unchanged():
            return True
        if pains < 2 and self._restore() and self._follow(state) and self.key() == state.key:
            return True
        return self.reach_anew(state) and self.key() == state.key

    def reach_anew(self, state: State) -> bool:
        """Go where the ways to a state lead in a new session, which may be another state; False if they end before."""
        self.begin()
        return self._follow(state)

    def _follow(self, state: State) -> bool:
        return all(self.go(way) for way in state.ways)

    def _unchanged(self) -> bool:
        session, base = self.opened.session, self._base
        return tuple(session.documents) == base["documents"] and base["states"] == tuple(
            document.state for document in session.documents
        )

    def _restore(self) -> bool:
        """Close what lies over the window and undo what was changed; False if that takes a new session."""
        session, window, base = self.opened.session, self.opened.window, self._base
        window.prompter.close()
        window.prompter._waiting.clear()  # a question that is closed would be asked again
        session.context_menu = session.proposal = None
        if session.quit:
            return False
        for document in tuple(session.documents):
            if document not in base["documents"]:
                session.remove_document(document)
        if not (self._unchanged() or self._put_back()):
            return False
        turned = (session.presentation is None) != (base["presentation"] is None)
        if turned and session.presentation is not None:
            session.presentation.stop(session)
        session.presentation = base["presentation"]
        for values, name in ((session.view, "view"), (session.settings, "settings")):
            for key, value in base[name].items():
                setattr(values, key, value)
        for document, (folding, direction) in zip(base["documents"], base["pictures"], strict=True):
            vars(document.folding).update(folding)
            document.direction = direction
        if (session.search.text, session.search.scope, session.search.regex) != base["search"]:
            session.search.ask(*base["search"])
        for notice in session.notices.list():
            session.notices.dismiss(notice.key)
        session.activate(base["active"])
        if session.active is not None:
            session.active.select(base["selection"])
            if base["camera"] is not None:
                session.active.picture.set_camera(base["camera"])
        session.touch()
        self.rest()
        if turned:
            self.settle()  # the window fills the screen, or no longer
        return True

    def _put_back(self) -> bool:
        """Open the scene's documents again that were closed; False if one, or a file, was changed as well."""
        session, base = self.opened.session, self._base
        if tuple(document.state for document in base["documents"]) != base["states"] or self._files() != base["files"]:
            return False
        session.documents[:] = base["documents"]
        session.closed_tabs.clear()
        session.closed_tabs.extend(base["closed tabs"])
        return True

    def _files(self) -> object:
        """What lies where the scene's runs do, and when it was written."""
        return {path: path.stat().st_mtime_ns for path in self.runs.rglob("*") if path.is_file()}

    def go(self, way: Way) -> bool:
        if way.target is None:
            self.opened.session.invoke(way.action)
            self.rest()
        else:
            control = self.find(way.target)
            if control is None:
                return False
            if control.kind in USED_OTHERWISE:
                self.use_again(control)
            else:
                self.click(control, way.target.button)
        return True

    # --- what is on screen -------------------------------------------------------------------------------------------

    def find(self, target: Target) -> Control | None:
        """The control of this name, else one whose name differs in its numbers only."""
        shown = [control for control in self.controls() if control.shown is not None]
        same = (control for control in shown if (control.view, control.kind, control.name) == target[:3])
        alike = (control for control in shown if known_by(control) == known_by(target))
        return next(chain(same, alike), None)

    def controls(self) -> list[Control]:
        """Everything that can be pressed now."""
        frame = (id(self.opened.loop), self.opened.loop.frames)
        if self._listed[0] != frame:
            self._listed = (frame, self.opened.window.controls())
        return self._listed[1]

    @property
    def front(self) -> int | None:
        """The dialog or menu that gets every press."""
        return self.opened.window.front

    def key(self) -> object:
        """What the present state is known by."""
        controls = self.controls()
        bare = self.front is not None and not any(control.kind == "box" for control in controls)
        kinds = (*STEADY, "row") if bare else STEADY
        return (
            self.opened.session.presentation is not None,
            self.front is not None and (controls[0].view if controls else "front"),
            frozenset(known_by(control) for control in controls if control.kind in kinds),
        )

    def selected(self) -> object:
        active = self.opened.session.active
        return active.selection.ids if active is not None else ()

    def documents(self) -> object:
        """What must not change by itself: which documents are open and what is in them."""
        return [(document.number, id(document.state)) for document in self.opened.session.documents]

    # --- presses -----------------------------------------------------------------------------------------------------

    def click(self, control: Control, button: str = "left") -> None:
        """Press a control at its middle and wait for the answer."""
        self.acted.clear()
        self.invoked.clear()
        mouse, place = self.opened.mouse, self._free_point(control)
        # Two presses on one place in a short time would be a double click.
        while (left := self._pressed_at + DOUBLE - time.monotonic()) > 0 and math.dist(mouse.at, place) < NEAR:
            self.opened.session.jobs.wait(left)
            self.opened.frame()
        self._pressed_at = time.monotonic()
        mouse.move(*place)
        self.opened.frame()
        mouse.press(button)
        mouse.release(button)
        pressed, frames = time.monotonic(), 0
        while not self._answered(control) and (frames < ANSWER or time.monotonic() - pressed < ON_ITS_WAY):
            if frames >= ANSWER:
                self.opened.session.jobs.wait(BETWEEN_FRAMES)
            self.opened.frame()
            frames += 1
        self.rest()

    def _answered(self, control: Control) -> bool:
        """Whether something reacted to a press; a box does by taking the keys."""
        return bool(self.acted) or (control.kind == "box" and dpg.is_item_active(control.item))

    def _free_point(self, control: Control) -> tuple[float, float]:
        """The middle of a control, or a pixel beside what lies in it there, such as a link in a row."""
        x, y, width, height = control.shown or control.area
        inner = [
            other.area
            for other in self.controls()
            if other.item == control.item and other.area.width * other.area.height < width * height
        ]
        for share in (0.5, 0.03, 0.97, 0.25, 0.75):
            place = (x + width * share, y + height / 2)
            if not any(area.contains(*place) for area in inner):
                return place
        return control.middle

    def rest(self) -> None:
        """Wait until nothing is going on."""
        self.opened.until(lambda: not self.opened.session.busy, "the session at rest")
        self.settle()

    def settle(self, frames: int = STILL) -> None:
        """Render frames until some in a row changed nothing, neither in the session nor where the views stand.

        What was pressed or typed last is handled in the first of them and on screen in the next. `frames` counts those
        since the session changed, before this call as well. A view that moves without end is left moving.
        """
        still, stands = 0, None
        for _ in range(LONGEST_SETTLING):
            self.opened.frame()
            before, stands = stands, self._standing()
            still = still + 1 if stands == before or before is None else 0
            if still >= STILL and self.opened.loop.settled >= frames:
                return

    def settle_forms(self) -> None:
        """Wait longer where a box may still be scrolled into view, so that it stands where it will stay."""
        if any(control.kind == "box" and control.content for control in self.controls()):
            self.settle(FORM_STILL)

    def _standing(self) -> object:
        """Where the window's views and what lies over them are, and how large they are."""
        front = self.front
        over = () if front is None else (front, *dpg.get_item_children(front, ITEMS))
        states = map(dpg.get_item_state, (*over, *dpg.get_item_children(self.opened.window.root, ITEMS)))
        return [(state.get("pos"), state.get("rect_size"), state.get("visible")) for state in states]

    def strays(self) -> list[str]:
        """What ran without a control; a notice goes by itself when its time is over."""
        return [action for source, action in self.invoked if source is None and action != "notice.dismiss"]

    @staticmethod
    def answers(control: Control, item: int, name: str) -> bool:
        return item == control.item and (not name or control.name == name or control.name.startswith(f"{name}: "))
