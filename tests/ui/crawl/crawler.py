"""Walks through the states of a window, presses every control in each with a real mouse, and checks what reacted.

A state is whatever the window shows after a number of actions and presses. New ones are found by running each action
and by pressing each control, so a new panel or dialog is crawled without being named here. The controls themselves come
from `MainWindow.controls`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

from opentine_gui.ui.toolkit.controls import Control
from tests.ui.crawl.findings import GRIP, faults
from tests.ui.crawl.presses import Presses
from tests.ui.crawl.stage import FORM_STILL, Stage
from tests.ui.crawl.states import Report, State, Target, Way, known_by
from tests.ui.crawl.ways_out import WaysOut


class Crawler:
    """One crawl of one scene in one window; `most` bounds the presses (0: none is left out)."""

    def __init__(
        self,
        stage: Stage,
        *,
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
        self.stage, self.most, self.first, self.every = stage, most, first, every
        self._seconds, self._begun = seconds, time.monotonic()
        self.report = Report()
        self._presses, self._ways_out = Presses(stage, self.report), WaysOut(stage, self.report)
        self._tried: set[str] = tried if tried is not None else set()
        self._noted: dict[int, str] = {}
        """What is noted in `tried` for a control that is still to be pressed."""
        self._known: dict[object, State] = {}

    def crawl(self) -> Report:
        """Find the states, look at each, press what is in it and leave it by every way out."""
        self.stage.begin()
        base = State(self.stage.key(), ())
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
        return control.content and control.shown is not None and control.shown.height <= GRIP * self.stage.scale

    def _first_time(self, *what: object) -> bool:
        """Whether something is tried for the first time; then it is noted."""
        name = repr(what)
        if name in self._tried:
            return False
        self._tried.add(name)
        return True

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
        self.stage.settle(FORM_STILL)
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

    def _targets(self, state: State) -> list[Control]:
        """The controls of a state to try: every different one, and of a list of many rows some."""
        if not self.stage.reach(state):
            return []
        controls = [c for c in self.stage.controls() if c.shown is not None and not c.cover and not self._is_sliver(c)]
        menu = self.stage.front is not None and not any(control.kind == "box" for control in controls)
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
            what = (*known_by(control), self.stage.front is not None, place)
            if self._first_time(*what):
                self._noted[id(control)] = repr(what)
                fresh.append(control)
        return fresh

    def _try(self, state: State, wanted: Control) -> State | None:
        """Press a control and check that it alone reacted; the state this leads to, if it is a new one."""
        if not self.stage.reach(state):
            return None
        self.stage.settle(FORM_STILL)  # a form that has just come stands where it will stay
        target = Target(wanted.view, wanted.kind, wanted.name)
        control = self.stage.find(target)
        if control is None:
            self.stage.reach(state, afresh=True)
            control = self.stage.find(target)
        if control is None:
            return None
        self._presses.use(state, control)
        key = self.stage.key()
        if key in self._known:
            return None
        new = self._known[key] = State(key, (*state.ways, Way(target=target)))
        return new
