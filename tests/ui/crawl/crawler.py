"""Walks through the states of a window, presses every control in each with a real mouse, and checks what reacted.

A state is whatever the window shows after a number of actions and presses. New ones are found by running each action
and by pressing each control, so a new panel or dialog is crawled without being named here. The controls themselves come
from `MainWindow.controls`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from itertools import chain

from opentine_gui.ui.toolkit.controls import Control
from tests.ui.crawl.findings import GRIP, faults, said
from tests.ui.crawl.presses import Presses
from tests.ui.crawl.stage import Stage
from tests.ui.crawl.states import Report, State, Target, Way, known_by
from tests.ui.crawl.ways_out import WaysOut

Tried = dict[str, list[list[int]]]
"""The controls that were pressed, in words, with the places they were pressed at."""
PLACES = 2
"""Places at which a full crawl presses one control of a look."""
ROWS = 3
"""Rows of one list that are pressed in a scene."""


class Crawler:
    """One crawl of one scene in one window; `most` bounds the presses (0: none is left out)."""

    def __init__(
        self,
        stage: Stage,
        *,
        most: int = 0,
        first: int = 0,
        every: int = 1,
        tried: Tried | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Of a sample, `most` bounds the presses, and only one action in `every` is run, from the `first` on.

        A full crawl presses nothing that is in `tried`, and adds what it presses: a control of the same name in another
        scene is the same. It ends after so many `seconds` (0: never) and says what it left out.
        """
        self.stage, self.most, self.first, self.every = stage, most, first, every
        self._seconds, self._begun = seconds, time.monotonic()
        self.report = Report()
        self._presses, self._ways_out = Presses(stage, self.report), WaysOut(stage, self.report)
        again = Presses(stage, Report())
        stage.use_again = lambda control: again.use(State(None, ()), control)
        self._tried: Tried = tried if tried is not None else {}
        self._alike: Tried = {}
        self._noted: dict[int, tuple[list[list[int]], list[int]]] = {}
        """The places noted in `tried` for a control that is still to be pressed, and its own among them."""
        self._known: dict[object, State] = {}
        self._found_again: set[tuple[Way, ...]] = set()

    def crawl(self) -> Report:
        """Find the states, look at each, press what is in it and leave it by every way out."""
        self.stage.begin()
        base = State(self.stage.key(), ())
        self._known[base.key] = base
        rounds: deque[tuple[State, Iterator[Control]]] = deque()
        for state in chain([base], self._states_by_actions(base)):  # each while the window is in it
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
                    self._leave(omitted)
                continue
            if not self.stage.reach(state):
                rounds += self._again(state, [control, *targets])
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

    def _again(self, state: State, controls: list[Control]) -> list[tuple[State, Iterator[Control]]]:
        """Where the ways to a state lead that cannot be reached again, with what is to be pressed there.

        Earlier presses may have left the session otherwise than a new one is when it was found.
        """
        again = state.ways not in self._found_again and self.stage.reach_anew(state)
        for control in controls:
            if again:
                self._leave(control)
            else:
                self._lose(state, control)
        if not again:
            return []
        self._found_again.add(state.ways)
        key = self.stage.key()
        if key not in self._known:
            self._known[key] = State(key, state.ways)
            self._look(self._known[key])
        return [(self._known[key], iter(self._targets(self._known[key])))]

    def _leave(self, control: Control) -> None:
        """Forget that a control was to be pressed, as another state or scene may still press it."""
        places, place = self._noted.pop(id(control))
        places.remove(place)

    def _lose(self, state: State, control: Control) -> None:
        """Note a control that is not to be had any more."""
        self.report.lost.append(f"{said(control)}  [{state}]")
        self._leave(control)

    @property
    def _late(self) -> bool:
        return 0 < self._seconds < time.monotonic() - self._begun

    def _is_sliver(self, control: Control) -> bool:
        """Whether a row is nearly scrolled out of its list, under the edge that can be dragged there."""
        return control.content and control.shown is not None and control.shown.height <= GRIP * self.stage.scale

    def _first_time(self, *what: object) -> bool:
        """Whether something is tried for the first time; then it is noted."""
        name = repr(what)
        if name in self._tried:
            return False
        self._tried[name] = []
        return True

    def _is_fresh(self, control: Control) -> bool:
        """Whether a control is still to be pressed where it stands; then it is noted.

        One that is known stands elsewhere where a panel is wider or a text longer. That it is whole and free there is
        looked at in every state; that its press arrives is seen at the first places, which tell as much as all would.
        Rows of a list are alike, for what they say is the document's: of these some are pressed in every scene.
        """
        view, kind, name = known_by(control)
        alike = control.content and kind in ("row", "bar") and not self._is_menu
        tried, most = (self._alike, ROWS) if alike else (self._tried, PLACES)
        what = repr((view, kind, "" if alike else name, control.enabled, self.stage.front is not None))
        place = list(map(round, control.area))
        places = tried.setdefault(what, [])
        if place in places or len(places) >= (1 if self.most and not alike else most):
            return False
        places.append(place)
        self._noted[id(control)] = (places, place)
        return True

    @property
    def _is_menu(self) -> bool:
        """Whether a menu is in front: every one of its rows does something else."""
        return self.stage.front is not None and not any(control.kind == "box" for control in self.stage.controls())

    def _states_by_actions(self, base: State) -> Iterator[State]:
        """The states that actions without arguments lead to; in a sample, of one action in `every`."""
        for place, action in enumerate(self.stage.opened.session.actions.all()):
            if not action.palette or (place + self.first) % self.every:
                continue
            if action.enabled(self.stage.opened.session) is not None:
                continue
            way = Way(action=action.id)
            self.stage.reach(base)
            self.stage.go(way)
            key = self.stage.key()
            if key not in self._known:
                state = self._known[key] = State(key, (way,))
                yield state

    def _look(self, state: State) -> None:
        """Check the picture of a state, and what its keys and its ways out do."""
        if not self.stage.reach(state):
            return
        self.stage.settle_forms()
        controls = self.stage.controls()
        for sentence in faults(controls, self.stage.scale):
            self.report.found(state, sentence)
        view = controls[0].view if controls else ""
        if self.stage.front is not None and not self._late:
            # In a sample one dialog of each sort stands for the others; a key meets the same code in all of them.
            if self._first_time("keys", view):
                self._ways_out.check_keys(state)
            if self._first_time("ways out", view, "" if self.most else sorted(map(known_by, controls))):
                self._ways_out.check(state)
                self.stage.reach(state, 1)  # without what was typed there

    def _targets(self, state: State) -> list[Control]:
        """The controls of a state to try: every different one, and of a list of many rows some."""
        if not self.stage.reach(state):
            return []
        controls = [c for c in self.stage.controls() if c.shown is not None and not c.cover and not self._is_sliver(c)]
        chosen: list[Control] = []
        groups: dict[tuple[str, str], list[Control]] = {}
        for control in controls:
            if control.kind in ("row", "link", "bar") and not self._is_menu:
                groups.setdefault((control.view, control.kind), []).append(control)
            else:
                chosen.append(control)
        for group in groups.values():
            chosen += [group[place] for place in sorted({0, len(group) // 2, len(group) - 1})]
        return [control for control in chosen if self._is_fresh(control)]

    def _try(self, state: State, wanted: Control) -> State | None:
        """Press a control and check that it alone reacted; the state this leads to, if it is a new one."""
        target = Target(wanted.view, wanted.kind, wanted.name)
        for pains in range(3):
            control = None
            if self.stage.reach(state, pains):
                self.stage.settle_forms()
                control = self.stage.find(target)
            if control is not None and not control.cover:
                break  # a notice that an earlier press brought may cover it, and is gone on the way there
        else:
            self._lose(state, wanted)
            return None
        self._presses.use(state, control)
        key = self.stage.key()
        if key in self._known:
            return None
        new = self._known[key] = State(key, (*state.ways, Way(target=target)))
        return new
