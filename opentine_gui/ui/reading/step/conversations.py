"""The conversation that leads to the step in front, as a page; a long one is put together in a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.reading.reader import Section, stopped_words
from opentine_gui.app.inspect.step.step_page import Page, conversation_page
from opentine_gui.app.inspect.transcript_turns import weighs_more
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, Step

LARGE_CONVERSATION = 2_000_000
"""Bytes of the records on the way to a step, and of the transcript, from which its turns are made in a job."""


STOPPED = Page((Section(stopped_words("Reading the conversation")),))


class Conversations:
    """The page of one step at a time; what a step rests on stays the same while its run grows, and so does the page."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._of: tuple[int, str] | None = None
        self._page: Page | None = None

    def of(self, document: Document, record: RunRecord, step: Step, transcript: Sequence[Any]) -> Page | None:
        """The page; None while a job makes it."""
        wanted = (document.number, step.id)
        if self._of == wanted:
            return self._page
        self._of, self._page = wanted, None
        if not weighs_more(record, step.id, LARGE_CONVERSATION):
            self._page = conversation_page(record, step, transcript)
            return self._page

        def done(page: Page) -> None:
            if self._of == wanted:
                self._page = page
            self.session.touch()

        def stopped() -> None:
            done(STOPPED)

        self.session.jobs.submit(
            f"conversation:{id(self)}",
            lambda _progress, _cancelled: conversation_page(record, step, transcript), done,
            title="Reading the conversation", priority=2, stopped=stopped, document=document.number,
        )  # fmt: skip
        return None

    def forget(self) -> None:
        """Let go of the page, whose texts may be large."""
        self._of = self._page = None
