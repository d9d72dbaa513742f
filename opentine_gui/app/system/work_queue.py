"""Work that waits for its turn on the main thread; what fails becomes a notice, and the rest goes on."""

from __future__ import annotations

import itertools
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable

from opentine_gui.app.state.notices import Notices
from opentine_gui.core import TineError

Work = Callable[[], None]


class WorkQueue:
    """Titled work in the order it came. `touched` is called after each piece of it and after each error shown."""

    def __init__(self, notices: Notices, touched: Work) -> None:
        self._notices, self._touched = notices, touched
        self._waiting: deque[tuple[str, Work]] = deque()
        self._failing: dict[str, str] = {}
        """The error of each piece of `repeat` that failed the last time, by its title."""

    def __bool__(self) -> bool:
        """True while something waits."""
        return bool(self._waiting)

    def add(self, title: str, work: Work) -> None:
        """Put work at the end; its errors are shown under `title`."""
        self._waiting.append((title, work))

    def run_until(self, end: float) -> None:
        """Do what waits until `time.perf_counter` is past `end`, one piece at least."""
        while self._waiting:
            self.run(*self._waiting.popleft())
            self._touched()
            if time.perf_counter() >= end:
                break

    def run(self, title: str, work: Work) -> None:
        """Do work now, and remove the notice of its last failure; an error becomes a notice and goes no further."""
        key = f"work:{title}"
        self._notices.dismiss(key)
        try:
            work()
        except Exception as error:  # noqa: BLE001 - an action that fails is a notice, and the loop goes on
            self.report(title, error, key=key if _is_expected(error) else "")

    def repeat(self, tasks: Iterable[tuple[str, Work]]) -> None:
        """Do titled work that is repeated in every `Session.step`; the same error again and again is shown once."""
        for title, work in tasks:
            try:
                work()
            except Exception as error:  # noqa: BLE001 - one feature that fails does not stop the others
                text = error_sentence(error)
                if self._failing.get(title) != text:
                    self._failing[title] = text
                    self.report(title, error, key=f"repeat:{title}")
            else:
                self._failing.pop(title, None)

    def report(self, title: str, error: Exception, *, key: str = "") -> None:
        """Show an error as a notice, in place of the one with the same key; nothing else shows errors of work."""
        text = error_sentence(error)
        detail = "" if _is_expected(error) else "".join(traceback.format_exception(error))
        self._notices.add("error", f"{title.rstrip('…')}: {text}", detail=detail, key=key)
        self._touched()


PATIENCE = 2.0
"""Seconds that work which is ready waits for work that was asked for before it."""


class Turns:
    """Work that is begun in the order in which it was asked for, whichever is ready first, if that is soon."""

    def __init__(self, later: Callable[[Work], None], clock: Callable[[], float]) -> None:
        self._later, self._clock = later, clock
        self._numbers = itertools.count()
        self._taken: dict[int, Work | None] = {}
        self._since: dict[int, float] = {}
        """When each turn was taken, in seconds."""

    def __bool__(self) -> bool:
        """True while something is not ready, and holds up what was asked for after it."""
        return bool(self._taken)

    def take(self) -> int:
        """A turn after all that were taken so far: it is ended by `ready` or `give_up`."""
        turn = next(self._numbers)
        self._taken[turn], self._since[turn] = None, self._clock()
        return turn

    def ready(self, turn: int, work: Work) -> None:
        """Have the work of a turn begun once that of those before it was; at once if its turn has passed."""
        if turn not in self._taken:
            self._later(work)
            return
        self._taken[turn] = work
        self._go_on()

    def give_up(self, turn: int) -> None:
        """Let those behind go on, if the work of this turn is not ready and will not be."""
        if self._taken.get(turn, self) is None:
            self._end(turn)
        self._go_on()

    def pass_over(self) -> None:
        """Let those behind go on where the work of a turn has not been ready for long: a disk may never answer."""
        while self._taken and self._clock() - self._since[first := next(iter(self._taken))] > PATIENCE:
            self._end(first)
            self._go_on()

    def _go_on(self) -> None:
        while self._taken and (work := self._taken[first := next(iter(self._taken))]) is not None:
            self._end(first)
            self._later(work)

    def _end(self, turn: int) -> None:
        del self._taken[turn], self._since[turn]


def _is_expected(error: Exception) -> bool:
    """Whether an error says what cannot be done, and is no fault of the program."""
    # A KeyError or an IndexError is one; a bare LookupError is raised with a sentence.
    return isinstance(error, (TineError, OSError)) or type(error) is LookupError


def error_sentence(error: BaseException) -> str:
    """An error as a sentence for the user."""
    if isinstance(error, TineError):
        return str(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    if type(error) is LookupError and error.args:
        return str(error.args[0])
    return f"something went wrong ({type(error).__name__}: {error})"
