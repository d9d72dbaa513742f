"""Our reading of the font files against Pillow's."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from opentine_gui.scene.fallback import fallback_paths, font_folders
from opentine_gui.scene.fontfile import LAST_CODE_POINT, Groups, _read_groups, read_font
from opentine_gui.scene.metrics import FACES, FontMetrics

METRICS = FontMetrics()
SAMPLE = 'search("RLHF 2024") — 2.5 s  $0.0020  ×7 · Привет, été, größer…'


@pytest.mark.parametrize("face", FACES)
def test_widths_agree_with_pillow(face: str) -> None:
    font = ImageFont.truetype(str(METRICS.paths[face]), 1000, layout_engine=ImageFont.Layout.BASIC)
    expected = sum(font.getlength(char) for char in SAMPLE)
    assert METRICS.width(SAMPLE, face, 1000) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize("face", FACES)
def test_the_line_box_agrees_with_pillow(face: str) -> None:
    ascent, descent = ImageFont.truetype(str(METRICS.paths[face]), 1000).getmetrics()
    assert METRICS.ascent(face, 1000) == pytest.approx(ascent, abs=2)
    assert METRICS.line_height(face, 1000) == pytest.approx(ascent + descent, abs=3)


def test_figures_are_as_wide_as_each_other_in_the_mono_face() -> None:
    assert METRICS.width("11111", "mono", 12) == METRICS.width("88888", "mono", 12)


def test_capitals_are_centred_where_asked() -> None:
    top = METRICS.centered_top(50, "title", 20)
    baseline = top + METRICS.ascent("title", 20)
    assert 50 < baseline < 50 + 20 * 0.5


def test_glyphs_are_known_by_the_character_map() -> None:
    assert METRICS.has_glyph("Ж", "text")
    assert not METRICS.has_glyph("漢", "text")
    assert not METRICS.has_glyph("\U0001f600", "mono")


def test_what_a_face_cannot_draw_is_drawn_and_measured_in_a_fallback_that_can() -> None:
    metrics = FontMetrics({"arrows": METRICS.paths["mono"]})
    assert not metrics.has_glyph("╬", "text")
    assert metrics.runs("a ╬╬ b", "text") == [("a ", "text"), ("╬╬", "arrows"), (" b", "text")]
    assert metrics.runs("plain", "text") == [("plain", "text")]
    whole = metrics.width("a ╬╬ b", "text", 13)
    assert whole == pytest.approx(sum(metrics.width(piece, face, 13) for piece, face in metrics.runs("a ╬╬ b", "text")))


def test_a_line_in_one_piece_goes_to_the_face_that_draws_most_of_it() -> None:
    metrics = FontMetrics({"arrows": METRICS.paths["mono"]})
    assert metrics.face_for("╬ mostly ╬", "text") == "arrows"
    assert metrics.face_for("plain", "text") == "text"
    assert METRICS.face_for("漢", "text") == "text"


def test_what_no_face_can_draw_stays_in_its_own() -> None:
    assert METRICS.runs("漢", "text") == [("漢", "text")]
    assert FontMetrics({"arrows": METRICS.paths["mono"]}).runs("漢", "text") == [("漢", "text")]


def test_a_fallback_that_is_no_font_is_left_out(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font at all")
    metrics = FontMetrics({"broken": broken, "gone": tmp_path / "gone.ttf", "arrows": METRICS.paths["mono"]})
    assert metrics.runs("╬", "text") == [("╬", "arrows")]


def test_fallbacks_of_the_system_are_files_that_exist() -> None:
    for face, path in fallback_paths().items():
        assert face not in FACES
        assert path.is_file()


def test_a_file_that_is_no_font_is_refused_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"\x00\x01\x00\x00" + b"\xff" * 40)
    with pytest.raises(ValueError, match=r"broken\.ttf"):
        read_font(broken)


def test_fonts_are_found_by_name_in_the_folders_the_system_keeps_them_in(tmp_path: Path) -> None:
    own, shared = tmp_path / "own" / "fonts" / "deep", tmp_path / "shared" / "fonts"
    for folder, name in ((own, "WQY-MicroHei.TTC"), (shared, "wqy-microhei.ttc"), (shared, "NotoEmoji-Regular.ttf")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    folders = font_folders({"XDG_DATA_HOME": str(tmp_path / "own"), "XDG_DATA_DIRS": str(tmp_path / "shared")}, "linux")
    found = fallback_paths(folders)
    assert found == {"cjk": own / "WQY-MicroHei.TTC", "emoji": shared / "NotoEmoji-Regular.ttf"}
    assert list(found) == ["cjk", "emoji"]
    assert fallback_paths([tmp_path / "nothing"]) == {}


def test_the_system_is_asked_for_fonts_when_a_letter_is_missing_and_once() -> None:
    asked: list[int] = []

    def find() -> dict[str, Path]:
        asked.append(1)
        return {"boxes": METRICS.paths["mono"]}

    metrics = FontMetrics(find)
    assert metrics.width("plain, и кириллица", "text", 13) > 0
    assert asked == []
    assert metrics.runs("a ╬ 漢", "text") == [("a ", "text"), ("╬", "boxes"), (" 漢", "text")]
    assert metrics.width("╬", "boxes", 13) == metrics.width("╬", "mono", 13)
    assert asked == [1]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 6), st.integers(1, 500)), max_size=12))
def test_runs_of_code_points_are_the_map_they_stand_for(runs: list[tuple[int, int, int]]) -> None:
    expanded: dict[int, int] = {}
    columns: list[tuple[int, int, int]] = []
    at = 0
    for gap, more, glyph in runs:
        start, end = at + gap, at + gap + more
        columns.append((start, end, glyph))
        expanded.update(zip(range(start, end + 1), range(glyph, glyph + more + 1), strict=True))
        at = end + 1
    groups = Groups(*(list(column) for column in zip(*columns, strict=True))) if columns else Groups((), (), ())
    assert dict(groups) == expanded
    assert len(groups) == len(expanded)
    for code_point in range(at + 3):
        assert groups.get(code_point, -1) == expanded.get(code_point, -1)
        assert (code_point in groups) == (code_point in expanded)


GROUP = st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 500))


@given(st.lists(GROUP, max_size=10), st.integers(0, 3))
def test_groups_of_an_odd_font_lose_only_what_is_there_twice(groups: list[tuple[int, int, int]], beyond: int) -> None:
    """Out of order, overlapping, turned round, or reaching past the last code point."""
    groups = [*groups, (LAST_CODE_POINT - 1, LAST_CODE_POINT + beyond, 7)]
    packed = struct.pack(">HHIII", 12, 0, 0, 0, len(groups)) + b"".join(struct.pack(">III", *group) for group in groups)
    read = _read_groups(packed, 0)
    meant: dict[int, set[int]] = {}
    for start, end, glyph in groups:
        for code_point in range(start, min(end, LAST_CODE_POINT) + 1):
            meant.setdefault(code_point, set()).add(glyph + code_point - start)
    assert set(read) == set(meant)
    assert len(read) == len(meant)
    assert all(read[code_point] in glyphs for code_point, glyphs in meant.items())
