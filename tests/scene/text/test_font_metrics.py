"""Widths and heights as read from the font files against Pillow's."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import ImageFont

from opentine_gui.scene.text.font_file import kept_metrics, metrics_from
from opentine_gui.scene.text.font_metrics import FACES, LAST_FACE, FontMetrics
from opentine_gui.scene.text.font_reader import read_font
from opentine_gui.scene.text.system_fonts import fallback_paths, font_folders
from tests.small_font import small_font

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


@pytest.mark.parametrize("face", FACES)
def test_the_metrics_kept_beside_a_packaged_face_are_those_of_its_file(face: str) -> None:
    font = read_font(METRICS.paths[face])
    assert METRICS.font(face) == font
    assert metrics_from(kept_metrics(font)) == font


def test_figures_are_as_wide_as_each_other_in_the_mono_face() -> None:
    assert METRICS.width("11111", "mono", 12) == METRICS.width("88888", "mono", 12)


def test_capitals_are_centred_where_asked() -> None:
    top = METRICS.centered_top(50, "title", 20)
    baseline = top + METRICS.ascent("title", 20)
    assert 50 < baseline < 50 + 20 * 0.5


def test_glyphs_are_known_by_the_character_map() -> None:
    assert METRICS.has_glyph("Ж", "text")
    assert not METRICS.has_glyph("漢", "text")
    assert not METRICS.has_glyph("\U0001f600", "title")


EVERYDAY = "🙂😀👍🎉🚀✅❌⚠ℹ★☆✔✘✓✗→⇒←↑↓⟶≤≠≈∑∀∈∞∅⌘⌥⏎⏱█▓░▀▄│├└─╬⠋⣿①ⓐ½⅓€₹№℃™♥♻⚙☀☁☎✂➜▶■●◆○🇩🟢🥲🫠�"


@pytest.mark.parametrize("face", [face for face in FACES if face != LAST_FACE])
def test_emoji_and_symbols_need_no_font_of_the_system(face: str) -> None:
    def find() -> dict[str, Path]:
        raise AssertionError("the system was asked for a font")

    metrics = FontMetrics(find)
    for char in EVERYDAY:
        owner = metrics.face_of(char, face)
        assert metrics.has_glyph(char, owner), char
        assert owner == face or face == "title", f"{char} would part a text in {face}"


def test_symbols_keep_to_the_columns_of_the_mono_face() -> None:
    cell = METRICS.width("m", "mono", 12)
    for text, cells in (("🙂✅🚀", 6), ("⠋→✔│█★①", 7), ("🇩🇪", 2)):
        assert METRICS.width(text, "mono", 12) == pytest.approx(cells * cell), text


@pytest.fixture(scope="module")
def characters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A font file of Han and basic Latin letters."""
    return small_font(tmp_path_factory.mktemp("fonts") / "characters.ttf", "漢字 abmostly")


def test_what_a_face_cannot_draw_is_drawn_and_measured_in_a_fallback_that_can(characters: Path) -> None:
    metrics = FontMetrics({"cjk": characters})
    assert not metrics.has_glyph("漢", "text")
    assert metrics.runs("a 漢字 b", "text") == [("a ", "text"), ("漢字", "cjk"), (" b", "text")]
    assert metrics.runs("plain", "text") == [("plain", "text")]
    assert metrics.runs("so 🙂", "title") == [("so ", "title"), ("🙂", "text")]
    whole = metrics.width("a 漢字 b", "text", 13)
    assert whole == pytest.approx(
        sum(metrics.width(piece, face, 13) for piece, face in metrics.runs("a 漢字 b", "text"))
    )


def test_a_line_in_one_piece_goes_to_the_face_that_draws_most_of_it(characters: Path) -> None:
    metrics = FontMetrics({"cjk": characters})
    assert metrics.face_for("漢 mostly 字", "text") == "cjk"
    assert metrics.face_for("plain", "text") == "text"
    assert METRICS.face_for("ก", "text") == "text"


def test_what_no_face_can_draw_stays_in_its_own() -> None:
    assert METRICS.runs("ก", "text") == [("ก", "text")]
    assert FontMetrics({"again": METRICS.paths["mono"]}).runs("ก", "text") == [("ก", "text")]


@pytest.mark.parametrize(
    "text", ["幫我檢查一下版本", "帮我检查一下版本", "バージョンを確認して", "버전을확인해주세요", "，。「」！？"]
)
def test_what_is_common_in_east_asia_needs_no_font_of_the_system(text: str) -> None:
    assert METRICS.runs(text, "title") == [(text, LAST_FACE)]
    assert METRICS.face_for(f"{text} go.mod 1.24", "text") == LAST_FACE  # a text box has Latin letters from it, too


def test_a_text_box_with_letters_of_east_asia_and_emoji_is_drawn_whole(characters: Path) -> None:
    text = "漢字 go.mod\n\t🚀 ✅ ✓ → ≤"
    for metrics in (METRICS, FontMetrics({"cjk": characters})):
        face = metrics.face_for(text, "text")
        assert [char for char in text if not char.isspace() and not metrics.has_glyph(char, face)] == []


def test_a_fallback_that_is_not_a_font_is_left_out(tmp_path: Path, characters: Path) -> None:
    broken = tmp_path / "broken.ttf"
    broken.write_bytes(b"no font at all")
    metrics = FontMetrics({"broken": broken, "gone": tmp_path / "gone.ttf", "cjk": characters})
    assert metrics.runs("漢", "text") == [("漢", "cjk")]


def test_fallbacks_of_the_system_are_files_that_exist() -> None:
    for face, path in fallback_paths().items():
        assert face not in FACES
        assert path.is_file()


def test_a_file_that_is_not_a_font_is_refused_by_name(tmp_path: Path) -> None:
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


def test_the_system_is_asked_for_fonts_when_a_letter_is_missing_and_once(characters: Path) -> None:
    asked: list[int] = []

    def find() -> dict[str, Path]:
        asked.append(1)
        return {"cjk": characters}

    metrics = FontMetrics(find)
    assert metrics.width("plain, и кириллица", "text", 13) > 0
    assert asked == []
    assert metrics.runs("a 漢 ཀ", "text") == [("a ", "text"), ("漢", "cjk"), (" ཀ", "text")]
    assert asked == [1]


@given(st.sampled_from(["text", "mono"]), st.data())
def test_a_damaged_font_is_read_or_refused_by_name(face: str, data: st.DataObject) -> None:
    whole = METRICS.paths[face].read_bytes()
    broken = bytearray(whole[: data.draw(st.integers(0, len(whole)))])
    for _ in range(data.draw(st.integers(0, 4)) if broken else 0):
        broken[data.draw(st.integers(0, min(len(broken), 3_000) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.NamedTemporaryFile(suffix=".ttf") as file:
        file.write(broken)
        file.flush()
        with contextlib.suppress(ValueError):
            assert read_font(Path(file.name)).units_per_em > 0
