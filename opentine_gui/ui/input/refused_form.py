"""Stops the letters typed for a form that did not open from running as shortcuts."""

from __future__ import annotations

from opentine_gui.app.session import Session
from opentine_gui.app.state.action_registry import Action
from opentine_gui.ui.input.keys import belongs_to_text

PAUSE = 1.0
"""Seconds without a key after which typing is over: longer than a pause within a word."""
MOVES = frozenset(("Left", "Right", "Up", "Down", "Home", "End", "PageUp", "PageDown"))
"""Keys that walk the graph; text rarely begins with one, and they change nothing."""


class RefusedForm:
    """Keeps keys from one that should open a form until a form has the keyboard, a mouse press, Esc, or a pause."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._wanted: Action | None = None
        self._said = False
        self._last = 0.0

    def expect(self, action: Action) -> None:
        """Note that a key ran this action; a title that ends with an ellipsis says that more is typed next."""
        self._wanted = action if action.title.endswith("…") else None
        self._said, self._last = False, self.session.clock()

    def over(self) -> None:
        """Stop keeping keys: something has the keyboard, or the user went on with the mouse."""
        self._wanted = None

    def keeps(self, chord: str) -> bool:
        """Whether a key was meant for the form: it does nothing, which is said once."""
        if self._wanted is None or chord.removeprefix("Shift+") in MOVES:
            return False
        now = self.session.clock()
        if now - self._last > PAUSE or not (belongs_to_text(chord) or chord.endswith("Enter")):
            self.over()
            return False
        self._last = now
        if not self._said:
            self._said = True
            title = self._wanted.title.rstrip("…")
            self.session.notices.add(
                "warning", f"{title} did not open, so what you typed was left out.", key="typed:left-out"
            )
        return True
