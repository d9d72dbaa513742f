"""The picture of an export: heading, legend and graph as one draw list, at zoom 1 with its top left at (0, 0)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from opentine_gui.core import Mark, RootDivergence
from opentine_gui.describe.comparison_words import (
    MARK_WORDS,
    divergence_sentence,
    sides_said,
    verdict,
)
from opentine_gui.describe.numbers import counted
from opentine_gui.export.content import SHARED, Content, Link
from opentine_gui.export.picture.typesetting import Piece, moved, pill, put, put_pieces
from opentine_gui.export.request import ExportError
from opentine_gui.layout import Ancestry, Direction, Layout, LayoutRequest, lay_out
from opentine_gui.scene.cards import draw_card
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Circle, Color, Curve, Line, Point, Primitive, Rect
from opentine_gui.scene.picture.build import build
from opentine_gui.scene.picture.legend import Signs, draw_legend, fitting_form
from opentine_gui.scene.picture.links import (
    DASH,
    LINK_WIDTH,
    MAIN_WIDTH,
    STRAND_WIDTH,
    bend,
    draw_polyline,
    draw_strands,
)
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.theme import Theme, status_role

MOST_STEPS = 20_000
"""Most steps in a picture; a larger run is exported in parts."""
SEARCHED = 5_000
"""Most steps for which the layout searches for fewer crossings, as in the window."""
PADDING = 40.0
SMALLEST_WIDTH = 640.0
WIDEST_HEADING = 1100.0
TITLE_SIZE, TEXT_SIZE, PILL_HEIGHT = 22.0, 14.0, 20.0
BADGE = 10.0
_FLAGS = 26.0
_MOST_DIVERGENCES = 3
_MOST_RUNS = 8


@dataclass(frozen=True)
class StepDrawing:
    """One card: its box (x0, y0, x1, y1) and the primitives that draw it."""

    box: tuple[float, float, float, float]
    items: tuple[Primitive, ...]


@dataclass(frozen=True)
class Drawing:
    """The whole picture, in pixels from its top left; `steps` are in the order of the content."""

    width: float
    height: float
    background: Color
    heading: tuple[Primitive, ...]
    links: tuple[Primitive, ...]
    steps: tuple[StepDrawing, ...]

    @property
    def items(self) -> tuple[Primitive, ...]:
        """Everything that is painted, bottom first."""
        return (*self.links, *[item for step in self.steps for item in step.items], *self.heading)


def draw(content: Content, *, heading: bool = True) -> Drawing:
    """Draw the content; with `heading` its title, totals and legend above it. ExportError when too large."""
    if content.request.view is not None:
        return _of_cards(content, content.request.view)
    if len(content) > MOST_STEPS:
        raise ExportError(
            f"{len(content):,} steps are more than a picture can hold ({MOST_STEPS:,}); name the steps to be exported"
        )
    metrics = content.request.metrics or FontMetrics()
    layout = layout_of(content)
    places = [layout.index[content.identity(number)] for number in range(len(content))]
    theme = content.request.theme
    cards = [_card(content, number, layout, places[number], theme, metrics) for number in content.numbers(0.3, 0.9)]
    links = _links(content, layout, places, theme)
    left, top, right, bottom = _bounds(cards, links)
    width = max(right - left + 2 * PADDING, SMALLEST_WIDTH if heading else 0.0)
    room = min(width - 2 * PADDING, WIDEST_HEADING)
    said, height = _heading(content, room, theme, metrics) if heading else ([], 0.0)
    dx = round((width - (right - left)) / 2 - left)
    dy = round(PADDING - top + (height + 24.0 if heading else 0.0))
    return Drawing(
        width=float(round(width)),
        height=float(round(bottom + dy + PADDING)),
        background=theme.canvas,
        heading=tuple(moved(item, PADDING, PADDING) for item in said),
        links=tuple(moved(item, dx, dy) for item in links),
        steps=tuple(
            StepDrawing(
                (card.box[0] + dx, card.box[1] + dy, card.box[2] + dx, card.box[3] + dy),
                tuple(moved(item, dx, dy) for item in card.items),
            )
            for card in cards
        ),
    )


def _of_cards(content: Content, view: Callable[[Theme, FontMetrics], SceneView]) -> Drawing:
    """A folded run as the canvas shows it, below the heading."""
    theme, metrics = content.request.theme, content.request.metrics or FontMetrics()
    seen = view(theme, metrics)
    drawn = build(seen)
    left, top, right, bottom = (
        edge * seen.zoom - drawn.origin[number % 2] for number, edge in enumerate(seen.layout.bounds)
    )
    width = max(right - left + 2 * PADDING, SMALLEST_WIDTH)
    said, height = _heading(content, min(width - 2 * PADDING, WIDEST_HEADING), theme, metrics)
    faces = [seen.faces(card) for card in range(len(seen.layout.centers))]
    roles = frozenset(bar.role for face in faces if face.group is not None for bar in face.group.strip)
    signs = Signs(roles, frozenset(face.kind for face in faces))
    form = fitting_form(metrics, signs, width - 2 * PADDING, 1.2)
    if not content.comparison and len(content.runs) == 1 and form is not None:
        said += draw_legend(0.0, height + 12.0, signs, theme, metrics, 1.2, form)
        height += 24.0
    dx = round((width - (right - left)) / 2 - left)
    dy = round(PADDING - top + height + 24.0)
    return Drawing(
        width=float(round(width)),
        height=float(round(bottom + dy + PADDING + _FLAGS)),
        background=theme.canvas,
        heading=tuple(moved(item, PADDING, PADDING) for item in said),
        links=tuple(moved(item, dx, dy) for item in drawn.items),
        steps=(),
    )


# -- layout -------------------------------------------------------------------------------------------------------


def layout_of(content: Content) -> Layout:
    """The request's layout if it has every step, else a new one of these steps alone."""
    given = content.request.layout
    if given is not None and all(content.identity(number) in given.index for number in range(len(content))):
        return given
    parents: list[list[int]] = [[] for _ in range(len(content))]
    for link in content.links:
        parents[link.target].append(link.source)
    nodes = [content.identity(number) for number in range(len(content))]
    tip = content.records[0].main_tip
    return lay_out(
        LayoutRequest(
            Ancestry(nodes, [tuple(sources) for sources in parents]),
            main=tip if tip in set(nodes) else None,
            direction=Direction(content.request.direction),
            search=len(nodes) <= SEARCHED,
            stacks=tuple(dict.fromkeys(content.stacks.values())),
        ),
        progress=content.pace.part(0.0, 0.3).at,
    )


def _bounds(cards: list[StepDrawing], links: list[Primitive]) -> tuple[float, float, float, float]:
    """The bounding box of cards, flags and links."""
    xs = [x for card in cards for x in (card.box[0] - BADGE, card.box[2] + BADGE)]
    ys = [y for card in cards for y in (card.box[1] - _FLAGS, card.box[3] + _FLAGS)]
    for item in links:
        points = item.points if isinstance(item, Line) else (item.p1, item.p4) if isinstance(item, Curve) else ()
        xs += [x for x, _ in points]
        ys += [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


# -- cards and links ------------------------------------------------------------------------------------------------


def _card(content: Content, number: int, layout: Layout, place: int, theme: Theme, metrics: FontMetrics) -> StepDrawing:
    center_x, center_y = layout.centers[place].tolist()
    width, height = layout.spacing.node_width, layout.spacing.node_height
    x, y = round(center_x - width / 2), round(center_y - height / 2)
    items = draw_card(content.face(number), x, y, width, height, 1.0, Level.CARD, theme, metrics)
    sign = content.sign(number)
    if sign:
        items += badge(sign, x + width - 2, y + 2, _role_color(content, number, theme), theme, metrics)
    return StepDrawing((x, y, x + width, y + height), tuple(items))


def _role_color(content: Content, number: int, theme: Theme) -> Color:
    return theme.role(content.role(number) or SHARED)


def badge(
    sign: str, x: float, y: float, paint: Color, theme: Theme, metrics: FontMetrics, zoom: float = 1.0
) -> list[Primitive]:
    """A sign around (x, y), at a card's corner, so that a step's run can be told without colour."""
    size, half = 12.0 * zoom, BADGE * zoom
    width = metrics.width(sign, "title", size)
    reach = max(half, width / 2 + 6 * zoom)
    items: list[Primitive] = [Rect(x - reach, y - half, x + reach, y + half, paint, theme.canvas, half, 2.0)]
    put(items, sign, x - width / 2, metrics.centered_top(y, "title", size), "title", size, theme.canvas, metrics)
    return items


MOST_BENT = 50_000
"""With more links than this, each is drawn as a line with corners: so many cannot be followed, and curves would make up
most of the file."""


def _links(content: Content, layout: Layout, places: list[int], theme: Theme) -> list[Primitive]:
    bent = len(content.links) <= MOST_BENT
    sideways = layout.direction is Direction.LEFT_TO_RIGHT
    known = {(source, target): edge for edge, (source, target) in enumerate(layout.edges.tolist())}
    items: list[Primitive] = []
    for link in content.links:
        source, target = places[link.source], places[link.target]
        edge = known.get((source, target))
        paint, width = _link_look(content, link, layout, edge, source, target, theme)
        if edge is None:
            start, end = _anchor(layout, source, sideways, True), _anchor(layout, target, sideways, False)
            drawn: list[Primitive] = [bend(start, end, sideways, paint, width)]
        else:
            points = [(float(x), float(y)) for x, y in layout.polyline(edge).tolist()]
            together = [theme.role(role) for role in content.strands(link)] if bent else []
            if together:
                drawn = draw_strands(points, sideways, together, STRAND_WIDTH)
            elif bent:
                drawn = draw_polyline(points, sideways, paint, width)
            else:
                drawn = [Line(tuple(points), paint, width)]
        items += [_dashed(item) for item in drawn] if link.through else drawn
    return items


def _link_look(
    content: Content, link: Link, layout: Layout, edge: int | None, source: int, target: int, theme: Theme
) -> tuple[Color, float]:
    """Colour and width of a link: those of its lower step's run; in a single run the main line is wider."""
    role = content.role(link.target)
    if role is not None:
        return theme.role(role), MAIN_WIDTH
    on_main = layout.lanes[source] == 0 and layout.lanes[target] == 0
    if on_main and edge is not None and layout.edge_kinds[edge] == 0:
        return theme.main_link, MAIN_WIDTH
    return theme.link, LINK_WIDTH


def _anchor(layout: Layout, place: int, sideways: bool, leaving: bool) -> Point:
    x, y = layout.centers[place].tolist()
    sign = 0.5 if leaving else -0.5
    if sideways:
        return (x + sign * layout.spacing.node_width, y)
    return (x, y + sign * layout.spacing.node_height)


def _dashed(item: Primitive) -> Primitive:
    return item._replace(dash=DASH) if isinstance(item, (Line, Curve)) else item


# -- heading -------------------------------------------------------------------------------------------------------


def _heading(content: Content, width: float, theme: Theme, metrics: FontMetrics) -> tuple[list[Primitive], float]:
    """Title, totals or figures, and legend, with the top left at (0, 0); and the height."""
    items: list[Primitive] = []
    y = 0.0
    for line in wrapped(content.title, width, "title", TITLE_SIZE, metrics, 2):
        put(items, line, 0.0, y, "title", TITLE_SIZE, theme.text, metrics)
        y += TITLE_SIZE * 1.3
    y += 4.0
    if content.comparison is not None:
        y = _comparison_heading(items, content, y, width, theme, metrics)
    else:
        for line in wrapped(" · ".join(content.head), width, "text", TEXT_SIZE, metrics, 3):
            put(items, line, 0.0, y, "text", TEXT_SIZE, theme.quiet, metrics)
            y += TEXT_SIZE * 1.5
        if len(content.runs) > 1:
            y = _legend(items, content, y + 6.0, width, theme, metrics)
    return items, y


def _comparison_heading(
    items: list[Primitive], content: Content, y: float, width: float, theme: Theme, metrics: FontMetrics
) -> float:
    comparison = content.comparison
    assert comparison is not None
    roots = comparison.root_divergences
    sentences = [divergence_sentence(comparison, root) for root in roots[:_MOST_DIVERGENCES]] or [verdict(comparison)]
    if len(roots) > _MOST_DIVERGENCES:
        sentences.append(f"They diverge in {counted(len(roots) - _MOST_DIVERGENCES, 'more place')}.")
    for number, sentence in enumerate(sentences, start=1):
        start = 0.0
        if roots and number <= min(len(roots), _MOST_DIVERGENCES):
            start = pill(items, str(number), 0.0, y, PILL_HEIGHT, theme.accent, theme.on_accent, metrics) + 8.0
        for line in wrapped(sentence, width - start, "text", TEXT_SIZE, metrics, 2):
            put(items, line, start, y + 1, "text", TEXT_SIZE, theme.text, metrics)
            y += TEXT_SIZE * 1.5
        if number <= min(len(roots), _MOST_DIVERGENCES):
            y = _both_sides(items, content, roots[number - 1], start, y, width, theme, metrics)
        y += 5.0
    y += 8.0
    rows = content.figure_rows
    for run, side in zip(content.runs, ("a", "b"), strict=False):
        paint = theme.role(run.role)
        start = pill(items, run.letter, 0.0, y, PILL_HEIGHT, paint, theme.canvas, metrics) + 8.0
        sums = " · ".join(f"{row.label.lower()} {getattr(row, side)}" for row in rows[1:])
        pieces = [
            Piece(f"{run.name}  ", "title", theme.text),
            Piece(run.status, "title", theme.role(status_role(run.status))),
        ]
        put_pieces(items, pieces, start, y + 1, width - start, TEXT_SIZE, metrics)
        for line in wrapped(sums, width - start, "text", TEXT_SIZE, metrics, 3):
            y += TEXT_SIZE * 1.5
            put(items, line, start, y + 1, "text", TEXT_SIZE, theme.quiet, metrics)
        y += PILL_HEIGHT + 6.0
    return _legend(items, content, y + 2.0, width, theme, metrics)


def _both_sides(
    items: list[Primitive], content: Content, root: RootDivergence, x: float, y: float, width: float, theme: Theme,
    metrics: FontMetrics,
) -> float:  # fmt: skip
    """What each run does at a divergence, on one line."""
    assert content.comparison is not None
    pieces: list[Piece] = []
    half = (width - x) / 2 - 30.0
    both = sides_said(content.comparison, root, int(half / metrics.width("n", "text", TEXT_SIZE)))
    for letter, said, role in zip("AB", both, ("side_a", "side_b"), strict=True):
        said = metrics.shortened_end(said, half, "text", TEXT_SIZE)
        pieces += [Piece(f"{letter}  ", "title", theme.role(role)), Piece(f"{said}    ", "text", theme.quiet)]
    put_pieces(items, pieces, x, y + 1, width - x, TEXT_SIZE, metrics)
    return y + TEXT_SIZE * 1.5


def legend_of(content: Content) -> list[tuple[str, Color, str]]:
    """(sign, colour, meaning) of what occurs in a comparison or a family; nothing for a single run."""
    theme = content.request.theme
    if content.comparison is None:
        if len(content.runs) == 1:
            return []
        found = [("", theme.role(run.role), f"{run.name} ({run.status})") for run in content.runs[:_MOST_RUNS]]
        more = len(content.runs) - _MOST_RUNS
        return [*found, ("", theme.quiet, f"and {counted(more, 'more run')}")] if more > 0 else found
    occurring = Counter(content.mark(number) for number in range(len(content)))
    found = []
    for mark, words in MARK_WORDS.items():
        count = occurring[mark] // 2 if mark in (Mark.CHANGED, Mark.MOVED) else occurring[mark]
        if occurring[mark]:
            found.append((words.sign or "×2", theme.role(words.role), f"{max(count, 1):,} {words.phrase}"))
    return found


def _legend(
    items: list[Primitive], content: Content, y: float, width: float, theme: Theme, metrics: FontMetrics
) -> float:
    """Draw the legend in as many lines as it needs, from the top `y`; returns its bottom."""
    x = 0.0
    for sign, paint, meaning in legend_of(content):
        if x > 0 and x + 60.0 + metrics.width(meaning, "text", TEXT_SIZE) > width:
            x, y = 0.0, y + PILL_HEIGHT + 6.0
        if sign:
            end = pill(items, sign, x, y, PILL_HEIGHT, paint, theme.canvas, metrics)
        else:
            items.append(Circle(x + 6.0, y + PILL_HEIGHT / 2, 5.0, fill=paint))
            end = x + 12.0
        x = put(items, meaning, end + 7.0, y + 1, "text", TEXT_SIZE, theme.quiet, metrics) + 22.0
    return y + PILL_HEIGHT
