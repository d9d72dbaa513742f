"""Markdown, rendered: headings, lists, tables, code, quotes, emphasis; links are shown, not followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.describe.content.code import coloured
from opentine_gui.describe.content.lines import (
    Lines,
    ListedLines,
    Pace,
    clean_text,
    cut_styled,
    no_pace,
    prose,
    text_lines,
)
from opentine_gui.describe.content.recognise import language_of
from opentine_gui.describe.content.table import aligned
from opentine_gui.scene.text.clean import begun
from opentine_gui.scene.text.styled import Face, Span, StyledLine, merged

MOST_CHARACTERS, MOST_LINES = 1_000_000, 50_000
"""Most characters and lines of Markdown that are rendered; longer text is shown as it is."""
LONGEST_PARAGRAPH = 20_000
HARD_WRAPPED = (60, 100)
"""Lengths of a line, in characters, that an editor is assumed to have wrapped: the next line continues it."""
HEADING_SIZES = (18.0, 16.0, 14.5, 13.5, 13.0, 13.0)
STEP = 16.0

# Repetitions are possessive (`*+`) where what follows cannot start with what they match: a line that begins something
# and does not end it would otherwise cause backtracking, and a line may be a megabyte.
_HEADING = late_pattern(r"^ {0,3}(#{1,6})(?:#*\s*$|\s(.*)$)")
_FENCE = late_pattern(r"^(\s*+)(`{3,}+|~{3,}+)\s*+([^`\s]*+)[^`]*+$")
_RULE = late_pattern(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_UNDERLINE = late_pattern(r"^ {0,3}(=+|-{3,})\s*$")
_ITEM = late_pattern(r"^(\s*)([-*+•]|\d{1,9}[.)])(\s+)(.*)$")
_TASK = late_pattern(r"^\[([ xX])\]\s+")
_QUOTE = late_pattern(r"^ {0,3}((?:> ?)+)(.*)$")
_DIVIDER = late_pattern(r"^\s*+(?:\|\s*+)?:?-++:?\s*+(?:\|\s*+:?-++:?\s*+)*+(?:\|\s*+)?$")
_CELL = late_pattern(r"(?<!\\)\|")
# Each alternative stops at the next character of its kind, so that every text takes linear time.
_INLINE = late_pattern(
    r"(?P<tick>`{1,32}+)(?P<code>[^`]+)(?P=tick)(?!`)"
    r"|!?\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)?)(?:\s+\"[^\"]*\")?\)"
    r"|(?P<url>https?://[^\s<>()\[\]\"'`]+)"
    r"|\*\*\*(?=[^\s*])(?P<both>[^*\n]+)\*\*\*(?!\*)"
    r"|(?P<strong>\*\*|(?<!\w)__)(?=\S)(?P<bold>(?:(?!(?P=strong))[^\n])+)(?P=strong)"
    r"|(?<![\w*])\*(?=[^\s*])(?P<star>[^*\n]+)\*(?!\*)"
    r"|(?<!\w)_(?=[^\s_])(?P<under>[^_\n]+)_(?!\w)"
    r"|~~(?P<struck>[^~\n]+)~~"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+.!|<>~-])"
)


def markdown_lines(text: str, pace: Pace = no_pace) -> Lines:
    """The lines of recorded Markdown."""
    if len(text) <= MOST_CHARACTERS:
        lines = clean_text(text).split("\n")
        if len(lines) <= MOST_LINES:
            return ListedLines(list(_Blocks(lines, pace).lines()))
    return text_lines(text, prose, pace)


class _Blocks:
    """Reads blocks line by line; whatever is not a block is a paragraph."""

    def __init__(self, lines: Sequence[str], pace: Pace) -> None:
        self.source, self.pace, self.place = lines, pace, 0

    def lines(self) -> Iterator[StyledLine]:
        """The styled lines of all blocks; consecutive empty lines become one."""
        empty = True
        for line in self._all():
            is_empty = not line.spans and not line.ground and not line.rule
            if not (is_empty and empty):
                yield line
            empty = is_empty

    def _all(self) -> Iterator[StyledLine]:
        while self.place < len(self.source):
            self._keep_pace()
            line = self.source[self.place]
            fence = _FENCE.match(line)
            heading = _HEADING.match(line)
            if not line.strip():
                self.place += 1
                yield StyledLine()
            elif fence:
                yield from self._fenced(fence)
            elif heading:
                self.place += 1
                yield from self._heading(_without_marks(heading[2] or ""), len(heading[1]))
            elif _RULE.match(line):
                self.place += 1
                yield StyledLine(rule=True)
            elif "|" in line and self._divider_follows():
                yield from self._table()
            elif _QUOTE.match(line):
                yield from self._quote()
            elif _ITEM.match(line):
                yield from self._item()
            elif self._underlined():
                level = 1 if self.source[self.place + 1].strip()[0] == "=" else 2
                self.place += 2
                yield from self._heading(line.strip(), level)
            else:
                yield from self._paragraph(0.0)

    def _keep_pace(self) -> None:
        if self.place % 100 == 0:
            self.pace()

    def _underlined(self) -> bool:
        after = self.source[self.place + 1] if self.place + 1 < len(self.source) else ""
        return _UNDERLINE.match(after) is not None

    def _divider_follows(self) -> bool:
        after = self.source[self.place + 1] if self.place + 1 < len(self.source) else ""
        return len(after) < 2_000 and "-" in after and _DIVIDER.match(after) is not None

    def _heading(self, text: str, level: int) -> Iterator[StyledLine]:
        if self.place > 1:
            yield StyledLine()
        spans = inline(text, "heading", "title", HEADING_SIZES[level - 1])
        yield from cut_styled(spans, StyledLine(rule=level == 1))

    def _fenced(self, fence: re.Match[str]) -> Iterator[StyledLine]:
        margin, mark, name = len(fence[1]), fence[2], fence[3]
        body: list[str] = []
        about = self.source[self.place].strip().lstrip("`~").strip()
        if about and not language_of(about):  # more than the name of a language
            yield from cut_styled((Span(about, "quiet"),), StyledLine(indent=margin * 4.0 + 4.0, ground="code"))
        self.place += 1
        while self.place < len(self.source):
            self._keep_pace()
            line = self.source[self.place]
            self.place += 1
            ends = _FENCE.match(line)
            if ends and ends[2].startswith(mark) and not ends[3]:
                break
            body.append(line[margin:] if not line[:margin].strip() else line.lstrip())
        yield from code_block(body, name, margin * 4.0)

    def _table(self) -> Iterator[StyledLine]:
        rows = [_cells(self.source[self.place])]
        self.place += 2
        while self.place < len(self.source) and "|" in self.source[self.place]:
            self._keep_pace()
            rows.append(_cells(self.source[self.place]))
            self.place += 1
        plain_rows = [["".join(span.text for span in inline(cell)) for cell in row] for row in rows]
        yield from aligned(plain_rows, self.pace)

    def _quote(self) -> Iterator[StyledLine]:
        while self.place < len(self.source) and (found := _QUOTE.match(self.source[self.place])):
            self._keep_pace()
            self.place += 1
            depth = min(found[1].count(">"), 6)
            bars = tuple((STEP * level, "hairline") for level in range(depth))
            yield from cut_styled(inline(found[2], "quiet"), StyledLine(indent=STEP * depth, bars=bars))

    def _item(self) -> Iterator[StyledLine]:
        found = _ITEM.match(self.source[self.place])
        assert found is not None
        depth = min(len(found[1].expandtabs(4)) // 2, 10)
        mark, text = found[2], found[4]
        task = _TASK.match(text)
        if task:
            mark, text = "☐" if task[1] == " " else "☑", text[task.end() :]
        elif mark in "-*+•":
            mark = "•"
        room = 10.0 if mark == "•" else 16.0 if task else 7.0 * len(mark) + 4.0
        margin = len(found[1]) + len(found[2]) + len(found[3])
        text = self._joined(text, margin)
        spans = merged((Span(f"{mark} ", "quiet", "text"), *inline(text)))
        yield from cut_styled(spans, StyledLine(indent=STEP * (depth * 0.5 + 0.5), hang=room))

    def _paragraph(self, indent: float) -> Iterator[StyledLine]:
        text = self._joined(self.source[self.place].strip(), 0)
        yield from cut_styled(inline(text), StyledLine(indent=indent))

    def _joined(self, text: str, margin: int) -> str:
        """The paragraph that begins here, its hard-wrapped lines joined; moves past them."""
        pieces, last = [text], self.source[self.place]
        length = len(text)
        self.place += 1
        while self.place < len(self.source) and HARD_WRAPPED[0] <= len(last) <= HARD_WRAPPED[1]:
            line = self.source[self.place]
            starts_block = _ITEM.match(line) or _HEADING.match(line) or _FENCE.match(line) or _QUOTE.match(line)
            if not line.strip() or starts_block or last.endswith("  ") or length > LONGEST_PARAGRAPH:
                break
            if self._underlined() or (margin and not line.startswith(" ")):
                break
            pieces.append(line.strip())
            length += len(line)
            last = line
            self.place += 1
        return " ".join(pieces)


def code_block(body: Sequence[str], name: str, indent: float = 0.0) -> Iterator[StyledLine]:
    """A code block on its own background; diffs in colour."""
    language = language_of(name)
    box = StyledLine(indent=indent + 4.0, hang=16.0, ground="code")
    if language == "diff":
        for line in body:
            ground = {"+": "added", "-": "removed"}.get(line[:1], "code")
            yield from cut_styled((Span(line),) if line else (), box._replace(ground=ground))
        return
    for spans in coloured("\n".join(body), language):
        yield from cut_styled(spans, box)


def _without_marks(heading: str) -> str:
    """The text of a heading, without the signs that may close it."""
    return heading.strip().rstrip("#").rstrip()


def inline(text: str, role: str = "text", face: Face = "text", size: float = 0.0, depth: int = 0) -> list[Span]:
    """The spans of a line of Markdown: code, links, emphasis."""
    spans: list[Span] = []
    at = 0
    for found in _INLINE.finditer(text):
        spans.append(Span(text[at : found.start()], role, face, size))
        at = found.end()
        if found["code"] is not None:
            spans.append(Span(found["code"], "text", "mono", size and size - 1, "code"))
        elif found["target"] is not None:
            spans += _link(found["text"], found["target"], face, size)
        elif found["url"] is not None:
            url = found["url"].rstrip(".,;:!?")
            spans += [Span(url, "link", face, size), Span(found["url"][len(url) :], role, face, size)]
        elif found["escaped"] is not None:
            spans.append(Span(found["escaped"], role, face, size))
        else:
            inner = found["both"] or found["bold"] or found["star"] or found["under"] or found["struck"] or ""
            look: tuple[str, Face] = (role, "title") if found["bold"] else ("emphasis", face)
            if found["both"]:
                look = ("emphasis", "title")
            if found["struck"]:
                look = ("faint", face)
            spans += inline(inner, *look, size, depth + 1) if depth < 4 else [Span(inner, *look, size)]
    spans.append(Span(text[at:], role, face, size))
    if text.isascii():
        return [span for span in spans if span.text]
    # Markup between two spans was removed, so combining marks after it would attach to the character before it.
    return [span._replace(text=begun(span.text)) for span in spans if span.text]


def _link(text: str, target: str, face: Face, size: float) -> list[Span]:
    """A link's text with its target in the tooltip; if the text names another target, the real one follows it."""
    shown = Span(text or target, "link", face, size, hint=target)
    looks_like_one = "://" in text or text.startswith("www.")
    if looks_like_one and text.rstrip("/") != target.rstrip("/"):
        return [shown, Span(f" ({target})", "quiet", face, size)]
    return [shown]


def _cells(line: str) -> list[str]:
    inside = line.strip().removeprefix("|")
    inside = inside[:-1] if inside.endswith("|") and not inside.endswith("\\|") else inside
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(inside)]
