"""The what-changed card: one picture, or one page of Markdown, that says where two runs diverge and what it cost."""

from __future__ import annotations

from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.progress import Pace
from opentine_gui.describe.comparison_words import FigureRow
from opentine_gui.describe.difference_lines import DiffLine, diff_text
from opentine_gui.describe.markdown import code, escaped, fenced
from opentine_gui.export.change_card.facts import Changes, Ending, changes_of, shared_words
from opentine_gui.export.content import Content
from opentine_gui.export.picture.drawing import badge
from opentine_gui.export.picture.image import png_of, svg_of
from opentine_gui.export.picture.typesetting import Piece, put, put_pieces
from opentine_gui.export.report import figure_table
from opentine_gui.export.request import ExportError, ExportRequest
from opentine_gui.scene.cards import draw_card
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Color, Line, Primitive, Rect
from opentine_gui.scene.picture.links import DASH, bend
from opentine_gui.scene.text.clean import clean_id
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.text.told_apart import told_apart
from opentine_gui.scene.theme import Theme, mixed

WIDTH, HEIGHT = 1280.0, 720.0
"""Size at scale 1, in pixels: a 16:9 slide."""
MARGIN = 48.0
_ZOOM = 1.4
_CARD = (220.0 * _ZOOM, 80.0 * _ZOOM)
_LEFT = 688.0
_RIGHT = MARGIN + _LEFT + 56.0
_GRAPH_TOP, _LOWER_TOP, _FOOT_TOP = 168.0, 486.0, 648.0
_DIFF_SIZE, _ROW = 15.0, 24.0
_MOST_DIFF = 5
_FOOT_SIZE, _SMALLEST = 13.0, 7.5
"""Sizes of the command at the foot, which is never cut."""
_STEP_GAP = 50.0


def write_card(request: ExportRequest, form: str, pace: Pace) -> bytes:
    """The card of a comparison as SVG, PNG or Markdown. ExportError if the request holds no comparison."""
    comparison = request.comparison
    if comparison is None:
        raise ExportError("a what-changed card is of a comparison of two runs")
    content = Content(request, pace)
    changes = changes_of(comparison, content)
    if form == "markdown":
        return _markdown(content, changes)
    items = _Card(content, changes).items
    if form == "svg":
        return svg_of(tuple(items), WIDTH, HEIGHT, request.theme.canvas, request, pace)
    return png_of(tuple(items), WIDTH, HEIGHT, request.theme.canvas, request, pace)


class _Card:
    """Draws the card into `items`."""

    def __init__(self, content: Content, changes: Changes) -> None:
        self.content, self.changes = content, changes
        self.theme: Theme = content.request.theme
        self.metrics = content.request.metrics or FontMetrics()
        self.items: list[Primitive] = []
        self._head()
        self._root_divergence()
        self._figures()
        self._difference()
        self._endings()
        self._foot()

    def _put(self, text: str, x: float, y: float, face: str, size: float, color: Color, room: float) -> float:
        text = self.metrics.shortened_end(text, room, face, size)
        return put(self.items, text, x, y, face, size, color, self.metrics)

    def _label(self, text: str, x: float, y: float, room: float) -> None:
        self._put(text, x, y, "title", 15.0, self.theme.quiet, room)

    def _head(self) -> None:
        theme, runs = self.theme, self.content.runs
        self.items.append(Rect(0.0, 0.0, WIDTH, 6.0, theme.accent))
        pieces = [Piece("What changed   ", "title", theme.accent)]
        if self.content.request.title:
            pieces.append(Piece(self.content.title, "title", theme.text))
        else:
            arrow = "  →  "
            taken = sum(self.metrics.width(words, "title", 30.0) for words in (pieces[0].text, arrow))
            half = (WIDTH - 2 * MARGIN - taken) / 2 - 2.0
            most = int(half / self.metrics.width("n", "title", 30.0)) - 3
            names = told_apart([run.name for run in runs[:2]], most)
            a, b = (
                self.metrics.shortened_end(f"{run.letter}  {name}", half, "title", 30.0)
                for run, name in zip(runs, names, strict=False)
            )
            pieces += [
                Piece(a, "title", theme.role(runs[0].role)),
                Piece(arrow, "title", theme.quiet),
                Piece(b, "title", theme.role(runs[1].role)),
            ]
        put_pieces(self.items, pieces, MARGIN, 36.0, WIDTH - 2 * MARGIN, 30.0, self.metrics)
        y = 88.0
        for line in wrapped(self.changes.sentence, WIDTH - 2 * MARGIN, "text", 21.0, self.metrics, 2):
            self._put(line, MARGIN, y, "text", 21.0, theme.text, WIDTH - 2 * MARGIN)
            y += 30.0

    # -- where they diverge -----------------------------------------------------------------------------------------

    def _root_divergence(self) -> None:
        """The last shared step, and below it the next step of each run."""
        theme, root = self.theme, self.changes.root
        width, height = _CARD
        if root is None:
            self._label(shared_words(self.changes), MARGIN, _GRAPH_TOP, _LEFT)
            return
        middle = MARGIN + _LEFT / 2
        lower = _GRAPH_TOP + height + _STEP_GAP
        start = (middle, _GRAPH_TOP + height)
        sides = ((root.a, MARGIN, "side_a", "A"), (root.b, MARGIN + _LEFT - width, "side_b", "B"))
        for identity, x, role, _ in sides:
            paint = theme.role(role) if identity is not None else theme.link
            curve = bend(start, (x + width / 2, lower), False, paint, 4.0)
            self.items.append(curve if identity is not None else curve._replace(dash=DASH))
        if root.parent is None:
            self._blank("The start", middle - width / 2, _GRAPH_TOP)
        else:
            self._step(root.parent, middle - width / 2, _GRAPH_TOP, "")
            said = f"{shared_words(self.changes)}."
            words = wrapped(said, (_LEFT - width) / 2 - 24, "text", 15.0, self.metrics, 4)
            for number, line in enumerate(words):
                self._put(line, MARGIN, _GRAPH_TOP + 4 + number * 21.0, "text", 15.0, theme.quiet, _LEFT)
        for identity, x, _, letter in sides:
            if identity is None:
                self._blank(f"{letter} does nothing here", x, lower)
            else:
                self._step(identity, x, lower, letter)

    def _step(self, identity: str, x: float, y: float, letter: str) -> None:
        position = self.content.graph.index(identity)
        number = self.content.number.get(position)
        if number is None:
            self._blank(clean_id(identity), x, y)
            return
        face = self.content.face(number)
        kept = [flag for flag in face.flags if not flag.above and flag.role not in ("side_a", "side_b")]
        face = type(face)(
            face.title, face.line, face.figures, face.kind, face.seal, tuple(kept[:1]), 1,
            {"A": "side_a", "B": "side_b"}.get(letter, "shared"),
        )  # fmt: skip
        width, height = _CARD
        self.items += draw_card(face, x, y, width, height, _ZOOM, Level.CARD, self.theme, self.metrics)
        if letter:
            paint = self.theme.role("side_a" if letter == "A" else "side_b")
            self.items += badge(letter, x + width - 3, y + 3, paint, self.theme, self.metrics, 1.5)

    def _blank(self, words: str, x: float, y: float) -> None:
        width, height = _CARD
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y))
        self.items.append(Line(corners, self.theme.link, 2.0, DASH))
        top = self.metrics.centered_top(y + height / 2, "text", 17.0)
        room = width - 24
        said = self.metrics.shortened_end(words, room, "text", 17.0)
        indent = (width - self.metrics.width(said, "text", 17.0)) / 2
        put(self.items, said, x + indent, top, "text", 17.0, self.theme.quiet, self.metrics)

    # -- figures ----------------------------------------------------------------------------------------------------

    def _figures(self) -> None:
        theme, metrics = self.theme, self.metrics
        room = WIDTH - MARGIN - _RIGHT
        size, pitch, y = 16.0, 44.0, _GRAPH_TOP
        names = max(metrics.width(row.label, "text", size) for row in self.changes.rows) + 14.0
        columns = (_RIGHT, *(_RIGHT + names + number * (room - names) / 3 for number in range(3)))
        heads = (("A", theme.role("side_a")), ("B", theme.role("side_b")), ("B − A", theme.quiet))
        for (text, paint), x in zip(heads, columns[1:], strict=True):
            put(self.items, text, x, y, "title", size, paint, metrics)
        y += 32.0
        pitch = min(pitch, (_LOWER_TOP - 18.0 - y) / len(self.changes.rows))
        for row in self.changes.rows:
            self.items.append(Line(((_RIGHT, y), (_RIGHT + room, y)), theme.hairline, 1.0))
            label = metrics.centered_top(y + pitch / 2, "text", size)
            put(self.items, row.label, columns[0], label, "text", size, theme.quiet, metrics)
            for text, x, paint, end in zip(
                row[1:4], columns[1:], self._figure_colors(row), (*columns[2:], _RIGHT + room), strict=True
            ):
                self._figure(text, x, y + pitch / 2, paint, end - x - 14)
            y += pitch

    def _figure(self, text: str, x: float, middle: float, paint: Color, room: float) -> None:
        """Draw a figure, smaller where space is short: a truncated number would be a different number."""
        size = min(16.0, room / max(self.metrics.width(text, "mono", 1.0), 1.0))
        put(self.items, text, x, self.metrics.centered_top(middle, "mono", size), "mono", size, paint, self.metrics)

    def _figure_colors(self, row: FigureRow) -> tuple[Color, Color, Color]:
        theme = self.theme
        if any(row.roles):
            return theme.role(row.roles[0]), theme.role(row.roles[1]), theme.quiet
        better = theme.quiet if row.better is None else theme.good if row.better else theme.bad
        return (theme.text, theme.text, better)

    # -- what differs, how they ended -------------------------------------------------------------------------------

    def _difference(self) -> None:
        lines = list(self.changes.difference)
        if not lines:
            return
        self._label("First difference", MARGIN, _LOWER_TOP, _LEFT)
        y = _LOWER_TOP + 28.0
        if len(lines) > _MOST_DIFF:
            notes = [line for line in lines if line.kind == "note"][-1:]
            lines = [*[line for line in lines if line.kind != "note"][: _MOST_DIFF - len(notes)], *notes]
        for number, line in enumerate(lines):
            opposite = {"removed": "added", "added": "removed"}.get(line.kind)
            others = [other.text for other in lines[max(number - 1, 0) : number + 2] if other.kind == opposite]
            self._diff_line(line, y, others[0] if others else "")
            y += _ROW

    def _diff_line(self, line: DiffLine, y: float, beside: str) -> None:
        theme, metrics = self.theme, self.metrics
        top = metrics.centered_top(y + _ROW / 2, "mono", _DIFF_SIZE)
        if line.kind in ("path", "note"):
            self._put(line.text, MARGIN, top, "mono", _DIFF_SIZE, theme.quiet, _LEFT)
            return
        role = {"removed": "side_a", "added": "side_b"}.get(line.kind, "quiet")
        paint = theme.role(role)
        if role != "quiet":
            ground = mixed(theme.canvas, paint, 0.14)
            self.items.append(Rect(MARGIN, y + 1, MARGIN + _LEFT, y + _ROW - 1, ground, None, 3.0))
        sign = {"removed": "−", "added": "+"}.get(line.kind, " ")
        start = put(self.items, f"{sign} ", MARGIN + 8, top, "mono", _DIFF_SIZE, paint, metrics)
        room = MARGIN + _LEFT - 8 - start
        text, marks = _seen(line, beside, room, metrics)
        strong = mixed(theme.canvas, paint, 0.38)
        for first, last in marks:
            left = start + metrics.width(text[:first], "mono", _DIFF_SIZE)
            right = start + metrics.width(text[:last], "mono", _DIFF_SIZE)
            if role != "quiet" and left < start + room:
                self.items.append(Rect(left, y + 2, min(right, start + room), y + _ROW - 2, strong, None, 2.0))
        self._put(text, start, top, "mono", _DIFF_SIZE, theme.text, room)

    def _endings(self) -> None:
        room = WIDTH - MARGIN - _RIGHT
        self._label("How they ended", _RIGHT, _LOWER_TOP, room)
        y = _LOWER_TOP + 30.0
        for ending in self.changes.endings:
            y = self._ending(ending, y, room) + 8.0

    def _ending(self, ending: Ending, y: float, room: float) -> float:
        paint = self.theme.role("side_a" if ending.letter == "A" else "side_b")
        self.items += badge(ending.letter, _RIGHT + 12, y + 11, paint, self.theme, self.metrics, 1.2)
        x = _RIGHT + 34.0
        end = self._put(f"{ending.status}  ", x, y, "title", 17.0, self.theme.role(ending.role), room)
        first, *rest = wrapped(ending.said, WIDTH - MARGIN - end, "text", 17.0, self.metrics)
        self._put(first, end, y, "text", 17.0, self.theme.text, WIDTH - MARGIN - end)
        y += 25.0
        if ending.check or rest:  # of the two, what the run says of itself comes second
            words = ending.check or " ".join(rest)
            self._put(words, x, y, "text", 17.0, self.theme.text, WIDTH - MARGIN - x)
            y += 25.0
        return y

    def _foot(self) -> None:
        theme, room = self.theme, WIDTH - 2 * MARGIN
        self.items.append(Line(((MARGIN, _FOOT_TOP), (WIDTH - MARGIN, _FOOT_TOP)), theme.hairline, 1.0))
        pieces = [Piece("To check  ", "title", theme.quiet)]
        for label, identity in self.changes.ids:
            pieces += [Piece(f"{label} ", "text", theme.quiet), Piece(f"{clean_id(identity)}   ", "mono", theme.text)]
        put_pieces(self.items, pieces, MARGIN, _FOOT_TOP + 10, room, 13.0, self.metrics)
        if self.changes.command:
            label = "To repeat  "
            put_pieces(
                self.items, [Piece(label, "title", theme.quiet)], MARGIN, _FOOT_TOP + 34, room, 13.0, self.metrics
            )
            start = MARGIN + self.metrics.width(label, "title", 13.0)
            lines, size = _whole_command(self.changes.command, WIDTH - MARGIN - start, self.metrics)
            for number, line in enumerate(lines):
                top = _FOOT_TOP + 34 + number * 18.0
                put(self.items, line, start, top, "mono", size, theme.text, self.metrics)


def _whole_command(words: tuple[str, ...], room: float, metrics: FontMetrics) -> tuple[list[str], float]:
    """A command as lines and their size: one line, else the last file on a second one, smaller if they are long.

    A command that is cut repeats nothing: one that cannot be read in two lines is in the report instead.
    """
    for lines in ([" ".join(words)], [f"{' '.join(words[:-1])} \\", words[-1]]):
        widest = max(metrics.width(line, "mono", 1.0) for line in lines)
        size = min(_FOOT_SIZE, room / widest)
        if size >= (_FOOT_SIZE if len(lines) == 1 else _SMALLEST):
            return lines, size
    return [f"{words[0]} {words[1]}: the paths are too long for a card, and are in its report (.md)"], _FOOT_SIZE


def _seen(line: DiffLine, beside: str, room: float, metrics: FontMetrics) -> tuple[str, list[tuple[int, int]]]:
    """The visible part of a line and its marks; if the line is too long, the part around its first mark.

    A line that has nothing the one `beside` it lacks has no mark: the other goes on, and where it does is shown.
    """
    text, marks = line.text, list(line.marks)
    if metrics.width(text, "mono", _DIFF_SIZE) <= room:
        return text, marks
    fit = max(int(room / metrics.width("0", "mono", _DIFF_SIZE)), 8)
    shared = common_beginning(text, beside) if beside else 0
    first, last = marks[0] if marks else (shared, shared)
    if last < fit:
        return text, marks
    cut = max(first - fit // 3, 0)
    return f"…{text[cut:]}", [(first - cut + 1, last - cut + 1) for first, last in marks]


def _markdown(content: Content, changes: Changes) -> bytes:
    names = " → ".join(f"{run.letter} {escaped(run.name)}" for run in content.runs[:2])
    lines = [f"# What changed: {escaped(content.title) if content.request.title else names}", ""]
    lines += [f"**{escaped(changes.sentence)}** {shared_words(changes)}.", ""]
    if changes.root is not None:
        before = escaped(changes.before) if changes.root.a is not None else "*nothing here*"
        after = escaped(changes.after) if changes.root.b is not None else "*nothing here*"
        lines += ["| First different step | |", "|---|---|", f"| A, before | {before} |", f"| B, after | {after} |", ""]
    if changes.difference:
        lines += [*fenced(map(diff_text, changes.difference), "diff"), ""]
    lines += [*figure_table(content), "", "How they ended:", ""]
    for ending in changes.endings:
        check = f"; {escaped(ending.check)}" if ending.check else ""
        lines.append(f"- {ending.letter}: **{ending.status}**, {escaped(ending.said)}{check}")
    lines += ["", "To check:", "", *[f"- {label}: {code(identity)}" for label, identity in changes.ids]]
    if changes.command:
        lines += ["", "To repeat:", "", *fenced([" ".join(changes.command)], "sh")]
    return ("\n".join(lines) + "\n").encode()
