"""The same draw list as SVG and as PNG: well-formed, escaped, and in the right places."""

from __future__ import annotations

import io
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from PIL import Image
from scenes import METRICS, forked, view_of

from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.draw_list import Circle, Curve, DrawList, Line, Picture, Polygon, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph, glyph
from opentine_gui.scene.painters.pillow import LARGEST_SIDE, paint, to_png
from opentine_gui.scene.painters.strokes import dashes
from opentine_gui.scene.painters.svg import to_svg
from opentine_gui.scene.picture.build import build
from opentine_gui.scene.picture.links import DraftLink
from opentine_gui.scene.picture.preview_layer import GhostCard, build_proposed
from opentine_gui.scene.theme import DARK

RED = (255, 0, 0, 255)
FRAME = (0.0, 0.0, 100.0, 60.0)
SVG = "{http://www.w3.org/2000/svg}"


def everything() -> DrawList:
    faces = [CardFace(f"step {i}", "a line", "1 s", SHOWN_KINDS[i], "ok", (Flag("main", "text"),), i) for i in range(7)]
    ghost = GhostCard(CardFace("draft"), 0.0, 800.0, (3,))
    links = (DraftLink(2, point=(300.0, 300.0)),)
    view = view_of(forked(), faces, selection=frozenset({1}))
    drawing = build(view)
    return drawing._replace(parts=(*drawing.parts, *build_proposed(view, links, (ghost,)).parts))


@given(st.text(st.characters(codec=None, categories=None)))
def test_hostile_text_stays_text(text: str) -> None:
    root = ElementTree.fromstring(to_svg(DrawList((Text(1, 1, text, "text", 12, RED),)), FRAME, METRICS).encode())
    assert [child.tag for child in root] == [f"{SVG}text"]
    assert not list(root[0])


@pytest.mark.parametrize(
    "text", ["</text><script>alert(1)</script>", "<!ENTITY x 'y'>", "]]>&amp;\"'", "\x1b[31m\x00\ud800"]
)
def test_markup_is_escaped(text: str) -> None:
    document = to_svg(DrawList((Text(1, 1, text, "text", 12, RED),)), FRAME, METRICS)
    assert "<script" not in document
    assert "ENTITY" not in document or "&lt;!ENTITY" in document
    ElementTree.fromstring(document.encode())


def test_every_primitive_of_a_scene_becomes_one_element() -> None:
    drawing = everything()
    root = ElementTree.fromstring(to_svg(drawing, (-500, -500, 900, 1200), METRICS, DARK.canvas).encode())
    tags = [child.tag.removeprefix(SVG) for child in root]
    expected = {Rect: "rect", Text: "text", Line: "polyline", Curve: "path", Polygon: "polygon", Circle: "circle"}
    assert tags == ["rect", *(expected[type(item)] for item in drawing.items)]


def test_a_picture_is_embedded_or_left_out_but_never_linked() -> None:
    drawing = DrawList((Picture("density", 0, 0, 10, 10),))
    assert "<image" not in to_svg(drawing, FRAME, METRICS)
    assert "<image" not in to_svg(drawing, FRAME, METRICS, pictures={"density": "https://example.test/x.png"})
    assert 'href="data:image/png;base64,AA=="' in to_svg(
        drawing, FRAME, METRICS, pictures={"density": "data:image/png;base64,AA=="}
    )


def pixels(*items: object, pictures: dict[str, Image.Image] | None = None) -> np.ndarray:
    drawing = DrawList(tuple(items))  # type: ignore[arg-type]
    return np.asarray(paint(drawing, FRAME, METRICS, (0, 0, 0, 255), pictures))[..., 0]


def test_the_png_painter_puts_shapes_where_they_belong() -> None:
    picture = pixels(Rect(10, 20, 30, 40, RED))
    assert picture.shape == (60, 100)
    assert picture[30, 20] == 255
    assert picture[20:40, 10:30].min() == 255
    assert picture.sum() == 255 * 20 * 20
    assert pixels(Circle(50, 30, 10, RED))[30, 50] == 255
    assert pixels(Polygon(((10, 10), (40, 10), (40, 40)), RED))[12, 35] == 255
    assert pixels(Line(((0, 30), (100, 30)), RED, 3))[30].min() == 255
    assert pixels(Curve((0, 30), (30, 30), (60, 30), (99, 30), RED, 3))[30, 2:98].min() == 255


def test_the_png_painter_writes_text_on_its_baseline() -> None:
    rows = np.flatnonzero(pixels(Text(10, 10, "HHHH", "title", 20, RED)).max(axis=1) > 200)
    baseline = 10 + METRICS.ascent("title", 20)
    assert rows.max() + 1 == pytest.approx(baseline, abs=1)
    columns = np.flatnonzero(pixels(Text(10, 10, "HHHH", "title", 20, RED)).max(axis=0) > 100)
    assert columns.max() == pytest.approx(10 + METRICS.width("HHHH", "title", 20), abs=3)


def test_dashes_leave_gaps() -> None:
    row = pixels(Line(((0, 30), (100, 30)), RED, 3, (6, 4)))[30]
    assert row[2] == 255
    assert row[8] == 0
    assert 50 < (row > 128).sum() < 70


@given(
    st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=2, max_size=5), st.floats(1, 9), st.floats(1, 9)
)
@hypothesis_settings(max_examples=50)
def test_dashes_cover_their_share_of_any_line(points: list[tuple[float, float]], on: float, off: float) -> None:
    length = sum(float(np.hypot(b[0] - a[0], b[1] - a[1])) for a, b in pairwise(points))
    inked = sum(float(np.hypot(b[0] - a[0], b[1] - a[1])) for a, b in dashes(tuple(points), on, off))
    assert length * on / (on + off) - on <= inked <= length * on / (on + off) + on + 0.01


def test_a_picture_is_stretched_over_its_rectangle() -> None:
    red = Image.new("RGBA", (2, 2), RED)
    picture = pixels(Picture("density", -10, 20, 50, 40), pictures={"density": red})
    assert picture[20:40, :50].min() == 255
    assert picture[:, 51:].max() == 0
    assert pixels(Picture("unknown", 0, 0, 50, 50)).max() == 0


def test_a_scene_becomes_a_png_file() -> None:
    data = to_png(paint(everything(), (-300, -100, 500, 900), METRICS, DARK.canvas))
    with Image.open(io.BytesIO(data)) as image:
        assert image.format == "PNG"
        assert image.size == (800, 1000)
        assert len(image.convert("RGB").getcolors(1_000_000) or []) > 100


def test_a_picture_too_large_to_make_is_refused() -> None:
    with pytest.raises(ValueError, match=str(LARGEST_SIDE)):
        paint(DrawList(()), (0, 0, 1e7, 10), METRICS, RED)


@pytest.mark.parametrize("kind", [*SHOWN_KINDS, "no such kind"])
def test_signs_stay_in_their_square_and_filled_ones_are_convex(kind: str) -> None:
    for shape in glyph(kind):
        assert all(0 <= x <= 1 and 0 <= y <= 1 for x, y in shape.points)
        if shape.filled:
            turns = set()
            ring = [*shape.points, *shape.points[:2]]
            for (ax, ay), (bx, by), (cx, cy) in zip(ring, ring[1:], ring[2:], strict=False):
                turns.add((bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0)
            assert len(turns) == 1


def test_each_kind_has_a_sign_of_its_own() -> None:
    pictures = {pixels(*draw_glyph(kind, 10, 10, 14, RED)).tobytes() for kind in SHOWN_KINDS}
    assert len(pictures) == len(SHOWN_KINDS)
