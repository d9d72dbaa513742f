"""SVG and PNG: well formed, of the size they say, in the theme's colours, and the same picture at every scale."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from PIL import Image, ImageChops

from opentine_gui.core import RunRecord
from opentine_gui.export import ExportError, export, request_of
from opentine_gui.export.content import Content
from opentine_gui.export.picture.drawing import draw
from opentine_gui.export.picture.typesetting import moved, scaled
from opentine_gui.scene.draw_list import Circle, Curve, Line, Picture, Polygon, Rect, Text
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.theme import DARK, HIGH_CONTRAST, LIGHT, Theme
from tests.conftest import MakeRun
from tests.export.conftest import NAMES
from tests.export.hostile import hostile_pair, hostile_run
from tests.scene.scenes import METRICS

SVG = "{http://www.w3.org/2000/svg}"
KNOWN = {f"{SVG}{name}" for name in ("svg", "rect", "text", "polyline", "path", "polygon", "circle")}


def texts(data: bytes) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(data).iter(f"{SVG}text")]


def image(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_an_svg_of_a_run_shows_every_step_and_names_nothing_outside(research: RunRecord) -> None:
    data = export(request_of([research], metrics=METRICS), "svg")
    root = ElementTree.fromstring(data)
    assert {element.tag for element in root.iter()} <= KNOWN
    said = texts(data)
    for words in ("Where do two RLHF papers disagree?", "Pick two papers", "main", "failed"):
        assert words in said
    assert len(list(root.iter(f"{SVG}polygon"))) >= len(research.graph)
    assert b"href" not in data
    assert b"url(" not in data


def test_of_more_links_than_can_be_followed_each_is_one_line(
    research: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = request_of([research], metrics=METRICS)
    bent = ElementTree.fromstring(export(request, "svg"))
    monkeypatch.setattr("opentine_gui.export.picture.drawing.MOST_BENT", 3)
    plain = ElementTree.fromstring(export(request, "svg"))
    assert [element.text for element in plain.iter(f"{SVG}text")] == [
        element.text for element in bent.iter(f"{SVG}text")
    ]
    links = sum(map(len, research.graph.parents))
    assert len(list(bent.iter(f"{SVG}path"))) > len(list(plain.iter(f"{SVG}path")))
    assert len(list(plain.iter(f"{SVG}polyline"))) >= links


@pytest.mark.parametrize("card", [False, True])
def test_an_svg_of_hostile_runs_holds_their_text_as_text(card: bool) -> None:
    data = export(request_of(hostile_pair(), compared=True, card=card), "svg")
    root = ElementTree.fromstring(data)
    assert {element.tag for element in root.iter()} <= KNOWN
    for element in root.iter():
        assert not [name for name in element.attrib if name.lower().startswith("on") or "href" in name]
    assert any("</script>" in words or "<img" in words for words in texts(data))


def test_a_comparison_says_where_and_how_the_runs_part_without_its_colours(
    research: RunRecord, retry: RunRecord
) -> None:
    said = texts(export(request_of([research, retry], compared=True, names=NAMES, metrics=METRICS), "svg"))
    assert said.count("A") == 19 + 1 + 1  # a sign at each card, in the legend, before the run's name
    assert said.count("B") == 5 + 1 + 1
    assert said.count("they part here: 1") == 2
    assert "After “Note what paper_a claims”, the two runs do different work." in said
    assert "19 only in A" in said
    assert any(words.startswith("Use the PDF mirror instead") for words in said)


def test_a_family_names_its_runs_at_their_tips(research: RunRecord, retry: RunRecord, evidence: RunRecord) -> None:
    said = texts(export(request_of([research, retry, evidence], names=(*NAMES, "evidence")), "svg"))
    assert "A family of 3 runs" in said
    assert "research-01 (failed)" in said
    assert said.count("×3") == 8
    assert "evidence" in said


def test_a_link_of_a_family_has_a_line_for_each_run_that_takes_it(
    research: RunRecord, retry: RunRecord, evidence: RunRecord
) -> None:
    content = Content(request_of([research, retry, evidence], metrics=METRICS))
    assert all(content.strands(link) == ("run_1", "run_2", "run_3") for link in content.links[:1])
    painted = {item.color for item in draw(content).links if isinstance(item, (Line, Curve))}
    assert {DARK.run_1, DARK.run_2, DARK.run_3} <= painted
    compared = Content(request_of([research, retry], compared=True, metrics=METRICS))
    assert not any(compared.strands(link) for link in compared.links)


@pytest.mark.parametrize("theme", [DARK, LIGHT, HIGH_CONTRAST], ids=lambda theme: theme.name)
def test_a_png_has_the_size_of_the_drawing_and_the_colours_of_the_theme(theme: Theme, make_run: MakeRun) -> None:
    request = request_of([make_run({"a": "", "b": "a", "x": "a"})], theme=theme, metrics=METRICS)
    drawing = draw(Content(request))
    picture = image(export(request, "png"))
    assert picture.size == (drawing.width, drawing.height)
    assert picture.getpixel((2, 2)) == theme.canvas[:3]
    x0, y0, _, y1 = (int(value) for value in drawing.steps[0].box)
    assert picture.getpixel((x0 + 4, (y0 + y1) // 2)) == theme.think[:3]
    failed = drawing.steps[2].box
    assert picture.getpixel((int(failed[0]) + 4, int(failed[1] + failed[3]) // 2)) == theme.error[:3]


@pytest.mark.parametrize("scale", [0.5, 2.0, 2.5])
def test_a_scale_changes_the_size_of_a_picture_and_nothing_else(scale: float, make_run: MakeRun) -> None:
    request = request_of([make_run({"a": "", "b": "a", "c": "a", "m": "b c"})], metrics=METRICS)
    plain, grown = image(export(request, "png")), image(export(replace(request, scale=scale), "png"))
    assert grown.size == pytest.approx((plain.width * scale, plain.height * scale), abs=1)
    small = min(plain.size, grown.size)
    pixels = [
        list(picture.resize((small[0] // 8, small[1] // 8), Image.Resampling.BOX).tobytes())
        for picture in (plain, grown)
    ]
    apart = [abs(one - two) for one, two in zip(*pixels, strict=True)]
    assert sum(apart) / len(apart) < 2.5
    svg = ElementTree.fromstring(export(replace(request, scale=scale), "svg"))
    assert float(svg.attrib["width"]) == pytest.approx(plain.width * scale, abs=1)


def test_a_png_painted_in_pieces_is_the_one_painted_at_once(make_run: MakeRun, monkeypatch: pytest.MonkeyPatch) -> None:
    request = request_of([make_run({"a": "", "b": "a", "c": "a", "m": "b c"})], metrics=METRICS, theme=LIGHT)
    whole = export(request, "png")
    monkeypatch.setattr("opentine_gui.export.picture.image._BAND", 96)
    monkeypatch.setattr("opentine_gui.export.picture.image._PIECE", 200)
    apart = ImageChops.difference(image(export(request, "png")), image(whole)).convert("L").histogram()
    # Lines that begin left of a piece may be a third of a pixel off; a piece that is missing or moved is much more.
    assert sum(apart[64:]) == 0
    assert sum(apart[1:]) < sum(apart) / 1000


def test_a_png_that_would_be_too_large_names_the_scale_that_fits(make_run: MakeRun) -> None:
    run = make_run({str(number): str(number - 1) if number else "" for number in range(300)})
    with pytest.raises(ExportError, match=r"a scale of (0\.\d+) fits") as error:
        export(request_of([run], metrics=METRICS), "png")
    found = re.search(r"a scale of (0\.\d+) fits", str(error.value))
    assert found is not None
    fits = float(found.group(1))
    assert image(export(request_of([run], metrics=METRICS, scale=fits), "png")).height <= 32_000


def test_left_to_right_lies_on_its_side(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a", "c": "b", "d": "c", "e": "d"})
    drawing = draw(Content(request_of([run], direction="left-to-right", metrics=METRICS)))
    assert drawing.width > 1200
    assert len({step.box[1] for step in drawing.steps}) == 1


def test_nothing_is_drawn_outside_the_picture() -> None:
    for request in (request_of([hostile_run()], metrics=METRICS), request_of(hostile_pair(), compared=True, card=True)):
        root = ElementTree.fromstring(export(request, "svg"))
        width, height = float(root.attrib["width"]), float(root.attrib["height"])
        for element in root.iter(f"{SVG}text"):
            end = float(element.attrib["x"]) + float(element.attrib.get("textLength", 0))
            assert float(element.attrib["x"]) >= -1 and end <= width + 1, element.text
            assert 0 <= float(element.attrib["y"]) <= height, element.text


def test_every_primitive_can_be_moved_and_scaled() -> None:
    red = (255, 0, 0, 255)
    items = (
        Rect(1, 2, 3, 4, red, None, 2, 1), Text(1, 2, "a", "text", 10, red), Line(((1, 2), (3, 4)), red, 1, (2, 3)),
        Curve((1, 2), (3, 4), (5, 6), (7, 8), red, 1, (2, 3)), Polygon(((1, 2), (3, 4), (5, 0)), red),
        Circle(1, 2, 3, red), Picture("p", 1, 2, 3, 4),
    )  # fmt: skip
    for item in items:
        assert scaled(moved(item, 5, 7), 2) == moved(scaled(item, 2), 10, 14)
        assert scaled(scaled(item, 4), 0.25) == item
        assert scaled(item, 2) != item


@pytest.mark.parametrize("text", ["", "one", "a few words that need more lines", "x" * 300, "a\nb\n\nc", "🎉 " * 40])
def test_wrapped_lines_fit_and_lose_nothing(text: str) -> None:
    lines = wrapped(text, 80, "text", 14, METRICS)
    assert all(METRICS.width(line, "text", 14) <= 80 or len(line) == 1 for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")
    short = wrapped(text, 80, "text", 14, METRICS, 2)
    assert len(short) <= 2
    assert len(lines) <= 2 or short[-1].endswith("…")
