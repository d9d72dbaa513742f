"""Walks through the states of a window, presses every control in each with a real mouse, and checks what reacted.

A state is whatever the window shows after a number of actions and presses. New ones are found by running each action
and by pressing each control, so a new panel or dialog is crawled without being named here. The controls themselves come
from `MainWindow.controls`.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import dearpygui.dearpygui as dpg
import msgspec

from opentine_gui.ui.toolkit.controls import Control
from tests.ui.crawl.findings import GRIP, faults, said
from tests.ui.crawl.scenes import Scene
from tests.ui.opened import DEMO, Opened

STEADY = ("button", "tab", "checkbox", "list", "box", "slider")
"""Kinds by which a state is known; the others follow the document."""
WORD = "qz"
BEHIND = ("Home", "F5", "Delete", "Down", "ctrl+w", "alt+m", "f")
"""Keys that do something in the window itself, and nothing behind a dialog or a menu."""
SETTLE, ANSWER = 4, 24
"""Frames after which a view has caught up, and within which a press is answered."""
ON_ITS_WAY = 0.5
"""Seconds that a press may take from the display to the window where the machine is busy."""


DOUBLE, NEAR = 0.4, 8.0
"""Seconds and pixels within which a second press makes a double click."""


class Target(NamedTuple):
    """How a control is found again in another picture of the same state."""

    view: str
    kind: str
    name: str
    button: str = "left"


class Way(NamedTuple):
    """One step on the way to a state: an action to run, or a control to press."""

    action: str = ""
    target: Target | None = None

    def __str__(self) -> str:
        if self.target is None:
            return self.action
        return f"{self.target.view}/{self.target.name[:40]}{' (right)' if self.target.button == 'right' else ''}"


class State(NamedTuple):
    """A state of the window: what it is known by, and how to get there from the scene."""

    key: object
    ways: tuple[Way, ...]

    def __str__(self) -> str:
        return " > ".join(map(str, self.ways)) or "as opened"


@dataclass
class Report:
    """What a crawl did and found."""

    states: list[str] = field(default_factory=list)
    pressed: int = 0
    typed: int = 0
    dragged: int = 0
    left: int = 0
    omitted: int = 0
    """Controls that were not pressed because the time was over."""
    findings: list[str] = field(default_factory=list)

    def found(self, state: State, sentence: str) -> None:
        """Note a finding once, with the state it was first seen in."""
        if all(known.partition("  [")[0] != sentence for known in self.findings):
            self.findings.append(f"{sentence}  [{state}]")


class Crawler:
    """One crawl of one scene in one window; `most` bounds the presses (0: none is left out)."""

    def __init__(
        self,
        opened: Opened,
        scene: Scene,
        runs: Path,
        *,
        scale: float,
        theme: str,
        most: int = 0,
        first: int = 0,
        every: int = 1,
        tried: set[str] | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Of a sample, `most` bounds the presses, and only one action in `every` is run, from the `first` on.

        A full crawl presses nothing that is in `tried`, and adds what it presses: a control that stands at the same
        place in another scene is the same. It ends after so many `seconds` (0: never) and says what it left out.
        """
        self.first, self.every = first, every
        self._seconds, self._begun = seconds, time.monotonic()
        self.opened, self.scene, self.runs = opened, scene, runs
        self.scale, self.theme, self.most = scale, theme, most
        self.report = Report()
        self.acted: list[tuple[int, str]] = []
        self.invoked: list[tuple[tuple[int, str] | None, str]] = []
        self._pressed_at = 0.0
        self._listed: tuple[object, list[Control]] = (None, [])
        self._tried: set[str] = tried if tried is not None else set()
        self._noted: dict[int, str] = {}
        """What is noted in `tried` for a control that is still to be pressed."""
        self._base: dict[str, Any] = {}
        self._known: dict[object, State] = {}

    # --- the walk ----------------------------------------------------------------------------------------------------

    def crawl(self) -> Report:
        """Find the states, look at each, press what is in it and leave it by every way out."""
        self.begin()
        base = State(self.key(), ())
        self._known[base.key] = base
        waiting = deque([base, *self._states_by_actions(base)])
        rounds: deque[tuple[State, Iterator[Control]]] = deque()
        for state in waiting:
            self._look(state)
            rounds.append((state, iter(self._targets(state))))
        while rounds and not (self.most and self.report.pressed >= self.most):
            state, targets = rounds.popleft()
            control = next(targets, None)
            if control is None:
                continue
            if self._late:
                for omitted in (control, *targets):
                    self.report.omitted += 1
                    self._tried.discard(self._noted.get(id(omitted), ""))  # another scene may still press it
                continue
            if self.most:
                rounds.append((state, targets))  # of a sample a little of each state
            else:
                rounds.appendleft((state, targets))  # to stay in a state is quicker than to come back
            new = self._try(state, control)
            if new is not None:
                self._look(new)
                rounds.append((new, iter(self._targets(new))))
        self.report.states = [str(state) for state in self._known.values()]
        return self.report

    @property
    def _late(self) -> bool:
        return 0 < self._seconds < time.monotonic() - self._begun

    def _is_sliver(self, control: Control) -> bool:
        """Whether a row is nearly scrolled out of its list, under the edge that can be dragged there."""
        return control.content and control.shown is not None and control.shown.height <= GRIP * self.scale

    def _first_time(self, *what: object) -> bool:
        """Whether something is tried for the first time; then it is noted."""
        name = repr(what)
        if name in self._tried:
            return False
        self._tried.add(name)
        return True

    def _states_by_actions(self, base: State) -> Iterator[State]:
        """The states that actions without arguments lead to; in a sample, of one action in `every`."""
        for place, action in enumerate(self.opened.session.actions.all()):
            if not action.palette or (place + self.first) % self.every:
                continue
            if action.enabled(self.opened.session) is not None:
                continue
            way = Way(action=action.id)
            self.reach(base)
            self._go(way)
            key = self.key()
            if key not in self._known:
                state = self._known[key] = State(key, (way,))
                yield state

    def _look(self, state: State) -> None:
        """Check the picture of a state, and what its keys and its ways out do."""
        if not self.reach(state):
            return
        controls = self.controls()
        for sentence in faults(controls, self.scale):
            self.report.found(state, sentence)
        view = controls[0].view if controls else ""
        if self.front is not None and not self._late:
            # In a sample one dialog of each sort stands for the others; a key meets the same code in all of them.
            if self._first_time("keys", view):
                self._check_keys(state)
            if self._first_time("ways out", view, "" if self.most else sorted(map(_known_by, controls))):
                self._check_ways_out(state)

    # --- a press -----------------------------------------------------------------------------------------------------

    def _targets(self, state: State) -> list[Control]:
        """The controls of a state to try: every different one, and of a list of many rows some."""
        if not self.reach(state):
            return []
        controls = [c for c in self.controls() if c.shown is not None and not c.cover and not self._is_sliver(c)]
        menu = self.front is not None and not any(control.kind == "box" for control in controls)
        chosen: list[Control] = []
        groups: dict[tuple[str, str], list[Control]] = {}
        for control in controls:
            if control.kind in ("row", "link", "bar") and not menu:
                groups.setdefault((control.view, control.kind), []).append(control)
            else:
                chosen.append(control)
        for group in groups.values():
            chosen += [group[place] for place in sorted({0, len(group) // 2, len(group) - 1})]
        fresh = []
        for control in chosen:
            # In a full crawl a control is pressed at every place it stands at, in a sample once.
            area = control.area
            place = () if self.most else tuple(map(round, (area.x, area.y, area.width, area.height)))
            what = (*_known_by(control), self.front is not None, place)
            if self._first_time(*what):
                self._noted[id(control)] = repr(what)
                fresh.append(control)
        return fresh

    def _try(self, state: State, wanted: Control) -> State | None:
        """Press a control and check that it alone reacted; the state this leads to, if it is a new one."""
        if not self.reach(state):
            return None
        self.frames(SETTLE)  # a form that has just come stands where it will stay
        target = Target(wanted.view, wanted.kind, wanted.name)
        control = self._find(target)
        if control is None:
            self.reach(state, afresh=True)
            control = self._find(target)
        if control is None:
            return None
        check = {
            "box": self._type,
            "list": self._choose,
            "slider": self._press_only,
            "scroll bar": self._scroll,
            "splitter": self._drag,
        }.get(control.kind, self._press)
        check(state, control)
        key = self.key()
        if key in self._known:
            return None
        new = self._known[key] = State(key, (*state.ways, Way(target=target)))
        return new

    def _press(self, state: State, control: Control) -> None:
        self.report.pressed += 1
        before = self.documents()
        self.click(control)
        right = [self._is(control, item, name) for item, name in self.acted]
        if not control.enabled:
            if self.acted or self.documents() != before:
                self.report.found(state, f"{said(control)} is greyed out and reacts")
        elif not self.acted:
            self.report.found(state, f"{said(control)} does not react to a press")
        elif right != [True]:
            others = [name or str(item) for item, name in self.acted]
            self.report.found(state, f"{said(control)}: a press on it reached {others} instead of it alone")
        elif self._strays() and control.kind != "canvas":  # a gesture there goes on after the press
            self.report.found(state, f"{said(control)}: a press on it also ran {self._strays()}")

    def _press_only(self, _state: State, control: Control) -> None:
        self.report.pressed += 1
        self.click(control)

    def _type(self, state: State, control: Control) -> None:
        self.report.typed += 1
        if not control.enabled:
            return
        before = self.documents()
        self.click(control)
        self.acted.clear()
        self.invoked.clear()
        self.opened.keyboard.press("ctrl+a")
        self.opened.keyboard.type(WORD)
        self.frames(SETTLE)
        value = str(dpg.get_value(control.item)) if dpg.does_item_exist(control.item) else ""
        if WORD not in value:
            self.report.found(state, f"{said(control)}: what is typed into it does not arrive")
        strays = [action for source, action in self.invoked if source is None or source[0] != control.item]
        if strays:
            self.report.found(state, f"{said(control)}: typing into it ran {strays}")
        if self.documents() != before:
            self.report.found(state, f"{said(control)}: typing into it changed the documents")

    def _choose(self, state: State, control: Control) -> None:
        self.report.pressed += 1
        before = dpg.get_value(control.item)
        front, proposal = self.front, self.opened.session.proposal
        self.click(control)
        self.opened.keyboard.press("Escape")
        self.frames(SETTLE)
        if self.front != front or (proposal is not None and self.opened.session.proposal is None):
            self.report.found(state, f"{said(control)}: Esc in its open list leaves the form")
            return
        self.click(control)
        x, y = control.middle
        for rows in (1.6, 2.6):
            self.opened.mouse.click(x, y + control.area.height * rows)
            self.frames(SETTLE)
            if dpg.get_value(control.item) != before:
                return
            self.click(control)
        self.report.found(state, f"{said(control)}: a press on a line of its list chooses nothing")

    def _scroll(self, state: State, control: Control) -> None:
        if dpg.get_item_type(control.item) == "mvAppItemType::mvDrawlist":  # drawn by a view that scrolls by itself
            self._press(state, control)
            return
        self.report.dragged += 1
        area = control.shown or control.area
        before, most = dpg.get_y_scroll(control.item), dpg.get_y_scroll_max(control.item)
        # The part that can be held may fill nearly all of the bar, so it is dragged: a press beside it might miss.
        held = area.height * area.height / (area.height + most)
        way = area.height - held
        middle = area.y + held / 2 + way * before / most
        goal = middle + (max(way, 12.0) if before < most / 2 else -max(way, 12.0))
        self.opened.mouse.drag((area.x + area.width / 2, middle), (area.x + area.width / 2, goal), moves=4)
        self.frames(SETTLE)
        if dpg.does_item_exist(control.item):
            if dpg.get_y_scroll(control.item) == before:
                self.report.found(state, f"{said(control)} does not scroll")
            dpg.set_y_scroll(control.item, before)
            self.frames(SETTLE)  # only then does everything stand where it stood

    def _drag(self, state: State, control: Control) -> None:
        self.report.dragged += 1
        x, y = control.middle
        across = control.area.width < control.area.height
        moved = False
        for way in (36, -36):
            end = (x + way, y) if across else (x, y + way)
            self.opened.mouse.drag((x, y), end, moves=4)
            self.frames(SETTLE)
            now = self._find(Target(control.view, control.kind, control.name))
            moved = moved or now is None or now.area != control.area
            if now is not None:
                x, y = now.middle
        if not moved:
            self.report.found(state, f"{said(control)} does not move when it is dragged")

    def click(self, control: Control, button: str = "left") -> None:
        """Press a control at its middle and wait for the answer."""
        self.acted.clear()
        self.invoked.clear()
        mouse, place = self.opened.mouse, self._free_point(control)
        # Two presses on one place in a short time would be a double click.
        while time.monotonic() - self._pressed_at < DOUBLE and math.dist(mouse.at, place) < NEAR:
            self.opened.frame()
        self._pressed_at = time.monotonic()
        mouse.move(*place)
        self.opened.frame()
        mouse.press(button)
        mouse.release(button)
        pressed, frames = time.monotonic(), 0
        while not self._answered(control) and (frames < ANSWER or time.monotonic() - pressed < ON_ITS_WAY):
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

    # --- dialogs and menus -------------------------------------------------------------------------------------------

    def _check_keys(self, state: State) -> None:
        """No key that means something in the window gets past a dialog or a menu."""
        for chord in BEHIND:
            if not self.reach(state):
                return
            before, selected = self.documents(), self._selected()
            self.invoked.clear()
            self.opened.keyboard.press(chord)
            self.rest()
            if self._strays():
                self.report.found(state, f"{chord} behind it runs {self._strays()}")
            if self.documents() != before or self._selected() != selected:
                self.report.found(state, f"{chord} behind it changes the document")

    def _check_ways_out(self, state: State) -> None:
        """Esc, every button that says so, and a press outside; what was typed survives the last of them."""
        for name in ("Esc", "Cancel", "Close", "outside"):
            if not self.reach(state):
                return
            before, front = self.documents(), self.front
            boxes = [control for control in self.controls() if control.kind == "box" and control.enabled]
            if name == "Esc":
                self.opened.keyboard.press("Escape")
            elif name == "outside":
                if boxes:
                    self.click(boxes[0])
                    self.opened.keyboard.type(WORD)
                    self.frames(SETTLE)
                place = self._outside()
                if place is None:
                    continue
                self.acted.clear()
                self.invoked.clear()
                self.opened.mouse.click(*place)
            else:
                buttons = [c for c in self.controls() if c.kind == "button" and c.name.startswith(name) and c.enabled]
                if not buttons:
                    continue
                self.click(buttons[0])
            self.rest()
            self.report.left += 1
            if self.documents() != before:
                self.report.found(state, f"leaving by {name} changes the documents")
            if name == "outside":
                if self.acted or self._strays():
                    self.report.found(state, f"a press outside reaches {[name for _, name in self.acted]}")
                if boxes and self.front != front:  # a view that left may have kept it for when it opens again
                    self._go(state.ways[-1])
                if boxes and not self._shows(WORD):
                    self.report.found(state, "a press outside loses what was typed")
            elif self.front == front:
                self.report.found(state, f"{name} does not leave it")

    def _shows(self, word: str) -> bool:
        """Whether a box on screen holds a word."""
        return any(word in str(dpg.get_value(c.item)) for c in self.controls() if c.kind == "box")

    def _outside(self) -> tuple[float, float] | None:
        """A pixel outside the dialog or menu in front."""
        front = self.front
        width, height = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        if front is None:
            return None
        (left, top), (wide, tall) = dpg.get_item_pos(front), dpg.get_item_rect_size(front)
        for x, y in ((width / 2, height - 60), (width - 300, 80), (12, height / 2), (width - 8, height / 2)):
            if not (left <= x < left + wide and top <= y < top + tall):
                return x, y
        return None

    # --- states ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the scene in a new session."""
        if self.opened.session.presentation is not None:
            self.opened.session.presentation.stop(self.opened.session)
            self.frames(SETTLE)  # the window leaves the full screen
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
            "active": session.active,
            "selection": session.active.selection if session.active is not None else None,
            "camera": session.active.camera if session.active is not None else None,
            "presentation": session.presentation is not None,
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

    def reach(self, state: State, *, afresh: bool = False) -> bool:
        """Bring the window into a state; False if it cannot be reached again."""
        if not afresh and self.key() == state.key and self._unchanged():
            return True
        for anew in (False, True):
            if afresh and not anew:
                continue
            if anew or not self._restore():
                self.begin()
            if all(self._go(way) for way in state.ways) and self.key() == state.key:
                return True
        return False

    def _unchanged(self) -> bool:
        session, base = self.opened.session, self._base
        return tuple(session.documents) == base["documents"] and base["states"] == tuple(
            document.state for document in session.documents
        )

    def _restore(self) -> bool:
        """Close what lies over the window and undo what was changed; False if that takes a new session."""
        session, window, base = self.opened.session, self.opened.window, self._base
        window.prompter._waiting.clear()
        window.prompter.close()
        session.context_menu = session.proposal = None
        if (session.presentation is not None) != base["presentation"] or session.quit:
            return False
        for document in tuple(session.documents):
            if document not in base["documents"]:
                session.remove_document(document)
        if not self._unchanged():
            return False
        for values, name in ((session.view, "view"), (session.settings, "settings")):
            for key, value in base[name].items():
                setattr(values, key, value)
        for notice in session.notices.list():
            session.notices.dismiss(notice.key)
        session.activate(base["active"])
        if session.active is not None:
            session.active.select(base["selection"])
            if base["camera"] is not None:
                session.active.set_camera(base["camera"])
        session.touch()
        self.rest()
        return True

    def _go(self, way: Way) -> bool:
        if way.target is None:
            self.opened.session.invoke(way.action)
            self.rest()
        else:
            control = self._find(way.target)
            if control is None:
                return False
            if control.kind in ("box", "splitter", "scroll bar", "list", "slider"):
                return True
            self.click(control, way.target.button)
        return True

    def _find(self, target: Target) -> Control | None:
        return next(
            (
                control
                for control in self.controls()
                if (control.view, control.kind, control.name) == target[:3] and control.shown is not None
            ),
            None,
        )

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
            frozenset(_known_by(control) for control in controls if control.kind in kinds),
        )

    def _selected(self) -> object:
        active = self.opened.session.active
        return active.selection.ids if active is not None else ()

    def documents(self) -> object:
        """What must not change by itself: which documents are open and what is in them."""
        return [(document.number, id(document.state)) for document in self.opened.session.documents]

    def rest(self) -> None:
        """Wait until nothing is going on."""
        self.opened.until(lambda: not self.opened.session.busy, "the session at rest")
        self.frames(SETTLE)

    def frames(self, count: int) -> None:
        for _ in range(count):
            self.opened.frame()

    def _strays(self) -> list[str]:
        """What ran without a control; a notice goes by itself when its time is over."""
        return [action for source, action in self.invoked if source is None and action != "notice.dismiss"]

    @staticmethod
    def _is(control: Control, item: int, name: str) -> bool:
        return item == control.item and (not name or control.name == name or control.name.startswith(f"{name}: "))


def _known_by(control: Control) -> tuple[str, str, str]:
    """A control without what changes with the document: numbers in its name."""
    return control.view, control.kind, re.sub(r"[\d.,]+", "", control.name)
