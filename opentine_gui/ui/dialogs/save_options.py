"""What is chosen above the name of a file to save: what goes into it, and in which form."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from opentine_gui.app.folder.file_choice import FileChoice
from opentine_gui.app.state.prompts import SaveFile
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.toolkit.sheet import BODY, SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

LINE, GAP, LABELS = 26.0, 14.0, 44.0
"""Design pixels of the height of a line, between two choices, and beside the words before them."""


class SaveOptions:
    """The choices of one question, in as many lines as they need in `room` pixels."""

    def __init__(self, style: Style, choice: FileChoice, room: float, choose_form: Callable[[str], None]) -> None:
        self.style, self._choice, self._room, self._choose_form = style, choice, room, choose_form
        self._scope = ""
        self._forms = self._in_lines(self._labels())

    @property
    def height(self) -> float:
        """Its height in pixels; 0 for a question without choices."""
        return self.style.size(LINE) * (len(self._forms) + bool(self._forms and self._question.scopes is not None))

    @property
    def scopes(self) -> tuple[str, ...]:
        """What may go into the file as it is named now."""
        chosen, scopes = self._choice.chosen(), self._question.scopes
        if scopes is None or not chosen or self._choice.unknown_form(chosen):
            return ()
        return scopes(chosen[0])

    def chosen_scope(self) -> str:
        """What goes into the file: what was pressed, else the likeliest; "" where there is no choice to make."""
        scopes = self.scopes
        return self._scope if self._scope in scopes else scopes[0] if scopes else ""

    def choose_scope(self, scope: str) -> None:
        """Take what was pressed."""
        self._scope = scope

    def draw(self, pen: Pen, x: float, top: float) -> None:
        """Draw the lines from `top` on."""
        style, theme = self.style, self.style.theme
        now, left = self._choice.named_form, x + style.size(LABELS)
        y = top + style.size(LINE / 2)
        if self._forms and self._question.scopes is not None:
            pen.text(x, y, "What", theme.faint, size=SMALL)
            lit, at = self.chosen_scope(), left
            for scope in self.scopes:
                color = theme.accent if scope == lit else theme.tool
                hint = f"Write {scope[0].lower()}{scope[1:]}"
                at = pen.link(at, y, scope, partial(self.choose_scope, scope), hint=hint, color=color)
                at += style.size(GAP)
            y += style.size(LINE)
        for number, line in enumerate(self._forms):
            if not number:
                pen.text(x, y, "As", theme.faint, size=SMALL)
            at = left
            for suffix, label, words in line:
                color = theme.accent if words == now else theme.tool
                act = partial(self._choose_form, suffix)
                at = pen.link(at, y, label, act, hint=f"{suffix}: {words}", color=color) + style.size(GAP)
            y += style.size(LINE)

    @property
    def _question(self) -> SaveFile:
        question = self._choice.question
        return question if isinstance(question, SaveFile) else SaveFile("", self._choice.folder, "")

    def _labels(self) -> list[tuple[str, str, str]]:
        """(suffix, label, words) of each form once: two suffixes of one form are one choice."""
        found: dict[str, tuple[str, str, str]] = {}
        labels = self._question.labels or tuple(suffix[1:] for suffix, _ in self._question.forms)
        for (suffix, words), label in zip(self._question.forms, labels, strict=True):
            found.setdefault(words, (suffix, clean(label, 60), words))
        return list(found.values())

    def _in_lines(self, labels: list[tuple[str, str, str]]) -> list[list[tuple[str, str, str]]]:
        style, used = self.style, 0.0
        room = self._room - style.size(LABELS)
        lines: list[list[tuple[str, str, str]]] = []
        for one in labels:
            wide = style.width(one[1], "text", style.size(BODY)) + style.size(GAP)
            if not lines or used + wide - style.size(GAP) > room:
                lines.append([])
                used = 0.0
            lines[-1].append(one)
            used += wide
        return lines
