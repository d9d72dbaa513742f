"""Shows any recorded value as styled lines: detects what its texts are, and passes each to the right viewer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from opentine_gui.describe.content.changes.unified_diff import diff_lines
from opentine_gui.describe.content.code import code_lines, language_name
from opentine_gui.describe.content.lines import (
    JoinedLines,
    Lines,
    ListedLines,
    Pace,
    clean_text,
    no_pace,
    plain,
    prose,
    text_lines,
)
from opentine_gui.describe.content.markdown import markdown_lines
from opentine_gui.describe.content.media import Media, media_of_object, media_of_text
from opentine_gui.describe.content.picture import KINDS, picture_size
from opentine_gui.describe.content.printed.log import log_lines
from opentine_gui.describe.content.printed.redrawn import last_states
from opentine_gui.describe.content.printed.terminal import terminal_lines
from opentine_gui.describe.content.printed.trace import trace_lines
from opentine_gui.describe.content.recognise import (
    LOOKED_AT,
    Found,
    Kind,
    is_prose,
    language_of,
    numbered_lines,
    recognise,
)
from opentine_gui.describe.content.table import table_lines
from opentine_gui.describe.content.tree_lines import SHORT_TEXT, Folds, Path, Shown, decoded, tree_lines
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.styled import Figure, Span, StyledLine

EditedFace = Literal["text", "mono"]
"""The proportional font, for prose, or the fixed-width one, for code."""
MOST_NUMBERED = 2_000_000
HINT_KEYS = ("file_path", "path", "filename", "file", "file_name", "language", "lang", "filePath", "notebook_path")
"""Keys whose value says what the texts beside it are."""
HINTS_BY_KEY = {"command": "bash", "cmd": "bash", "script": "bash", "sql": "sql", "html": "html", "css": "css"}
"""The language of the text under a key, if nothing else says it."""

PRINTED: frozenset[Kind] = frozenset(("log", "prose", "terminal", "text"))
"""Kinds of text in which programs may have redrawn lines, such as progress bars."""
CONTENT_KEYS = ("content", "code", "source", "text", "diff", "patch", "old", "new", "file_text", "insert", "replace")
"""Beginnings of the keys for a file's content; prose under any other key is about the file."""


class Wish(NamedTuple):
    """How to show a value: `raw`, as recorded and without interpretation; `hint`, a file name or a language."""

    raw: bool = False
    hint: str = ""


PRETTY = Wish()

Pictures = dict[str, Media]
"""Pictures by the name that their figures have."""
Known = dict[tuple[Path, str], Shown]
"""Cache of the texts made into lines, by path and hint, so that folding elsewhere does not make them again."""


def show_value(
    value: Any,
    folds: Folds,
    wish: Wish = PRETTY,
    path: Path = (),
    pace: Pace = no_pace,
    pictures: Pictures | None = None,
    known: Known | None = None,
) -> Shown:
    """The lines of a value. A text is shown as what it is, anything else as a tree.

    `pictures` receives the pictures that the lines refer to; `known` keeps texts between two calls for the same value.
    """
    show = _Show(folds, wish, pace, pictures if pictures is not None else {}, known if known is not None else {})
    return show.value(path, value)


class _Show:
    def __init__(self, folds: Folds, wish: Wish, pace: Pace, pictures: Pictures, known: Known) -> None:
        self.folds, self.wish, self.pace, self.pictures, self.known = folds, wish, pace, pictures, known

    def value(self, path: Path, value: Any) -> Shown:
        if self.wish.raw:
            if isinstance(value, str):
                return Shown("Text", text_lines(value, plain, self.pace))
            text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
            return Shown("JSON", code_lines(text, "json", self.pace))
        if isinstance(value, str):
            return self._text(path, value, self.wish.hint) or Shown("Text", text_lines(value, prose, self.pace))
        media = media_of_object(value) if isinstance(value, dict) else None
        if media is not None:
            return self.media(path, media)
        return Shown("", self._tree(path, value))

    def _tree(self, path: Path, value: Any) -> Lines:
        return tree_lines(value, self.folds, self.text, self.object, path)

    def object(self, path: Path, value: Mapping[str, Any]) -> Shown | None:
        """A picture recorded as an object."""
        media = media_of_object(value)
        return self.media(path, media) if media is not None else None

    def text(self, path: Path, text: str, around: Any) -> Shown | None:
        """A text in a tree; None if it is short enough to be shown beside its key."""
        hint = hint_for(text, path[-1] if path else "", around) or self.wish.hint
        if len(text) <= SHORT_TEXT and "\n" not in text.strip("\n") and text.lstrip()[:1] not in ("{", "["):
            return None
        return self._text(path, text, hint, short=len(text) <= SHORT_TEXT and "\n" not in text)

    def _text(self, path: Path, text: str, hint: str, *, short: bool = False) -> Shown | None:
        media = media_of_text(text)
        if media is not None:
            return self.media(path, media)
        if (path, hint) in self.known:
            return self.known[path, hint]
        found = recognise(text, hint)
        if found.kind == "json":
            value = decoded(text)
            if value is not None:
                return Shown("JSON in a text", self._tree(path, value))
            found = recognise(text, hint, json=False)
        if short:
            return None
        if not hint:  # with a hint the text is a file's content: its lines are kept
            settled, earlier = last_states(text, self.pace)
            drawn = recognise(settled, hint)
            if earlier and drawn.kind in PRINTED:
                known = self.known[path, hint] = _as_settled(self._as(drawn, settled), earlier)
                return known
        if found.kind != "terminal":
            listing = self._listing(path, text, hint)
            if listing is not None:
                return listing
        if found.kind == "trace":  # it folds, so it is never cached
            shown = trace_lines(text, path, self.folds)
            if shown is not None:
                return shown
            found = recognise(text, hint, trace=False)
        known = self.known[path, hint] = self._as(found, text)
        return known

    def _as(self, found: Found, text: str) -> Shown:
        pace = self.pace
        match found.kind:
            case "markdown":
                return Shown("Markdown", markdown_lines(text, pace))
            case "diff":
                return diff_lines(text, pace)
            case "terminal":
                return Shown("Terminal", terminal_lines(text, pace))
            case "table":
                return table_lines(text, found.delimiter, pace)
            case "log":
                return Shown("Log", log_lines(text, pace))
            case "code":
                return Shown(language_name(found.language), code_lines(text, found.language, pace))
            case "prose":
                return Shown("Text", text_lines(text, prose, pace))
            case _:
                return Shown("Text", text_lines(text, plain, pace))

    def _listing(self, path: Path, text: str, hint: str) -> Shown | None:
        """A text in which each line begins with its number, as tools print files: the numbers move beside the code."""
        if len(text) > MOST_NUMBERED or not text[:12].lstrip()[:1].isdigit():
            return None
        lines = clean_text_keeping_tabs(text).split("\n")
        found = numbered_lines(lines)
        if found is None:
            return None
        body = "\n".join(line for _, line in found)
        kind = recognise(body, hint)
        language = kind.language if kind.kind == "code" else language_of(hint)
        code = code_lines(body, language, self.pace, [number for number, _ in found])
        said = ListedLines([plain(clean_text(line)) for line in lines[len(found) :]])
        shown = Shown(language_name(language) if language else "Text", JoinedLines((code, said)))
        self.known[path, hint] = shown
        return shown

    def media(self, path: Path, media: Media) -> Shown:
        """A picture, or a line that says what is there."""
        save = Span("Save\u00a0as…", "link", "text", act=("save", path))  # a link must not wrap
        gap = Span("   ", face="text")
        if media.kind not in KINDS:
            return Shown(media.words, ListedLines([StyledLine((Span(media.words, "quiet", "text"), gap, save))]))
        try:
            width, height, name = picture_size(media)
        except ValueError as error:
            words = Span(f"{media.words}: {error}", "bad", "text")
            return Shown(media.words, ListedLines([StyledLine((words, gap, save))]))
        key = hashlib.sha256(f"{len(media.text)}:{media.start}:{media.text}".encode("utf-8", "replace")).hexdigest()
        self.pictures[key] = media
        zoom = self.folds.zoom.get(path, 0.0)
        spans = [Span(f"{name} · {width:,} × {height:,} · {media.words.partition(' · ')[2]}", "quiet", "text"), gap]
        for word, share in (("Fit", 0.0), ("50%", 0.5), ("100%", 1.0), ("200%", 2.0)):
            role = "text" if share == zoom else "link"
            spans += [Span(word, role, "text", act=("zoom", path, share) if share != zoom else None), gap]
        figure = StyledLine(figure=Figure(key, width, height, zoom))
        return Shown(f"{name} {width:,} × {height:,}", ListedLines([StyledLine((*spans, save), ours=True), figure]))


def _as_settled(shown: Shown, earlier: int) -> Shown:
    """The lines of a text with redrawn lines, below a note that says so."""
    words = f"Last state of lines that were drawn again; Raw shows {counted(earlier, 'earlier one')}"
    note = StyledLine((Span(words, "quiet", "text"),), ours=True)
    return Shown(shown.label, JoinedLines((ListedLines([note]), shown.lines)))


def hint_for(text: str, key: Any, around: Any) -> str:
    """What a text's key and the values beside it say about it: a file name or a language."""
    if isinstance(around, Mapping) and (
        str(key).startswith(CONTENT_KEYS) or not is_prose(text[:LOOKED_AT].strip().split("\n"))
    ):
        for name in HINT_KEYS:
            said = around.get(name)
            if name != key and isinstance(said, str) and len(said) < 400 and language_of(said):
                return said
    return HINTS_BY_KEY.get(str(key), "")


def face_of(text: str, key: str = "", around: Mapping[str, Any] | None = None, hint: str = "") -> EditedFace:
    """The font in which the text under a key of the object `around` is edited; `hint` is a file name or a language.

    As the viewers choose it: the proportional font for prose and Markdown only. A short line of no known kind, which
    the viewers show in quotes beside its key, counts as prose here: a name, a question, a path.
    """
    said = hint_for(text, key, around) or hint
    found = recognise(text, said)
    if found.kind == "json" and decoded(text) is None:
        found = recognise(text, said, json=False)
    if found.kind == "text":
        return "mono" if len(text) > SHORT_TEXT or "\n" in text.strip("\n") else "text"
    return "text" if found.kind in ("markdown", "prose") else "mono"


def clean_text_keeping_tabs(text: str) -> str:
    """A text, cleaned; a tab after a line number is kept, because the number is recognised by it."""
    return "\n".join("\t".join(clean_text(part) for part in line.split("\t", 1)) for line in text.split("\n"))
