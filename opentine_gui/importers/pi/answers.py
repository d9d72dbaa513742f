"""Which answer a result belongs to: the nearest one above it that made its call, before any prompt."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from opentine_gui.importers.pi.entries import Entry, Session
from opentine_gui.importers.sources.fields import objects_in, text_of

FARTHEST = 20
"""Most answers searched above a result: a model is asked again only when every call has its result."""


class Asked(NamedTuple):
    """The calls of an answer in their order, and the first place of each id."""

    calls: list[dict[str, Any]]
    places: dict[str, int]


class Answers:
    """Finds the answer above an entry in a session's tree; results are cached, because a batch can be a long chain."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._above: dict[str, str | None] = {}
        """The nearest answer or prompt above an entry."""
        self._asked: dict[str, Asked] = {}

    def above(self, entry: Entry) -> str | None:
        """The id of the answer that made the call of this result; None if there is none."""
        call = text_of(entry.message.get("toolCallId"))
        found = self._speaker_above(entry.id)
        for _ in range(FARTHEST):
            if found is None or self.session.entries[found].role == "user":
                return None
            if call in self.asked(found).places:
                return found
            found = self._speaker_above(found)
        return None

    def asked(self, answer: str) -> Asked:
        """The calls of an answer of the session."""
        asked = self._asked.get(answer)
        if asked is None:
            calls = calls_of(self.session.entries[answer])
            places: dict[str, int] = {}
            for number, call in enumerate(calls):
                if isinstance(identity := call.get("id"), str):
                    places.setdefault(identity, number)
            asked = self._asked[answer] = Asked(calls, places)
        return asked

    def forget_content(self) -> None:
        """Drop the cached calls, which hold decoded entries."""
        self._asked = {}

    def copied(self, session: Session) -> Self:
        """A copy for a copy of the session, which may continue independently."""
        other = type(self)(session)
        other._above = dict(self._above)
        return other

    def _speaker_above(self, identity: str) -> str | None:
        entries = self.session.entries
        passed: list[str] = []
        while identity not in self._above:
            self._above[identity] = None  # where a cycle ends
            passed.append(identity)
            parent = entries[identity].parent
            if parent is None or parent not in entries:
                return None
            if entries[parent].role in ("assistant", "user"):
                found: str | None = parent
                break
            identity = parent
        else:
            found = self._above[identity]
        self._above.update(dict.fromkeys(passed, found))
        return found


def calls_of(entry: Entry) -> list[dict[str, Any]]:
    """The calls that an answer made."""
    return [part for part in objects_in(entry.message.get("content")) if part.get("type") == "toolCall"]
