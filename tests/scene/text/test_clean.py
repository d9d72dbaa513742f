"""Recorded text is hostile; what leaves the one door is safe to draw. Eliding never draws too wide."""

from __future__ import annotations

import re
import sys
import time
import unicodedata
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.text import clean as clean_module
from opentine_gui.scene.text.clean import (
    LONGEST_DRAWN,
    MOST_MARKS,
    PIECE,
    PLACEHOLDER,
    clean,
    clean_id,
    clean_whole,
    drawable,
    shortened_end,
    shortened_middle,
)
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.line_break import wrapped

METRICS = FontMetrics()
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e"
# Pieces that attack: escapes, direction, surrogates in both orders, line ends, invisible and stacked characters.
PIECES = st.sampled_from(
    [
        "\x1b[31m", "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x9b1m", "\x1b(B", "\x1b", "\x90q\x9c",
        "\u202e", "\u2066", "\u2069", "\u200f", "\u200b", "\ufeff", "\u00ad", "\ud800", "\udc00", "\ud83d\ude00",
        "\r\n", "\r", "\n", "\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x00", "\x07", "\x7f", "\u0301" * 9,
        "\u3164", "\ufe0f", "\U000e0041", "\ue000", "\uffff", "\u0378", "a", "  ", "ß", "漢", "🙂", "[31m", "]0;",
        "\u0e49" * 9, "\u064b", "\U00011001" * 5,
    ]
)  # fmt: skip
HOSTILE = st.one_of(st.text(st.characters(codec=None, categories=None)), st.lists(PIECES, max_size=40).map("".join))


def longest_row_of_marks(text: str) -> int:
    """How many marks follow each other at most."""
    return max(len(row) for row in re.split(r"[^M]", "".join(unicodedata.category(char)[0] for char in text)))


@given(HOSTILE, st.integers(1, 60), st.booleans())
def test_clean_text_holds_nothing_that_steers_a_renderer(text: str, limit: int, lines: bool) -> None:
    result = clean(text, limit, lines=lines)
    allowed = "\n" if lines else ""
    for char in result:
        assert unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp") or char in allowed
    assert len(result) <= limit
    result.encode("utf-8")


@given(HOSTILE, st.integers(1, 60), st.booleans())
def test_cleaning_twice_changes_nothing(text: str, limit: int, lines: bool) -> None:
    once = clean(text, limit, lines=lines)
    assert clean(once, limit, lines=lines) == once


@pytest.mark.parametrize(
    ("hostile", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("a\u200bb\ufeffc\u00add", "abcd"),
        ("\ud800lone", "\ufffdlone"),
        ("\ud83d\ude00", "\U0001f600"),
        ("one\r\ntwo\nthree\u2028four", "one two three four"),
        ("tab\there", "tab here"),
        ("  wide \u3000 space  ", "wide space"),
        ("nul\x00bell\x07del\x7f", "nulbelldel"),
        ("e\u0301\u0302\u0303\u0304\u0305", "e\u0301\u0302\u0303"),
        ("ก" + "\u0e49" * 300 + "x", "ก" + "\u0e49" * 4 + "x"),
        ("ا" + "\u0651\u064b" * 200 + "x", "ا" + "\u0651\u064b" * 2 + "x"),
        ("ཀ" + "\u0f90\u0fb2\u0f74" * 90 + "x", "ཀ\u0f90\u0fb2\u0f74\u0f90x"),
        ("म" + "\u0941" * 50, "म" + "\u0941" * 4),
        ("o" + "\u0301\u0e49" * 50, "o" + "\u0301\u0e49" * 2),
        ("\U00011000" + "\U00011001" * 9, "\U00011000" + "\U00011001" * 4),
        ("שּׁ֖ בְּ֭ 𝄞 สวัสดีครับ བསྒྲུབས हिन्दी", "שּׁ֖ בְּ֭ 𝄞 สวัสดีครับ བསྒྲུབས हिन्दी"),
        ("\U000e0061\U000e0062tag", "tag"),
        ("naïve 漢字 Привет", "naïve 漢字 Привет"),
    ],
)
def test_each_class_of_attack_is_disarmed(hostile: str, plain: str) -> None:
    assert clean(hostile) == plain


# The patterns as ECMA-48 has them, where a string sequence must end; too slow for long hostile text.
ENDED_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)


@given(st.text("\x1b[]P\\\x9b\x90\x9d\x9c\x070 m\x98_a;", max_size=40))
def test_escapes_go_as_their_standard_says_and_an_endless_string_keeps_its_text(text: str) -> None:
    left = "".join(char for char in ENDED_ESCAPES.sub("", text) if unicodedata.category(char) != "Cc")
    assert clean(text, lines=True) == left


def test_a_string_sequence_that_nothing_ends_loses_its_starter_alone() -> None:
    assert clean("\x90what \x9d0;was \x9b1mrecorded") == "what 0;was recorded"
    assert clean("\x1b]0;kept \x1bnot ended") == "0;kept ot ended"


def seconds_to_clean(text: str) -> float:
    """The processor's, of the least disturbed of a few rounds."""
    rounds = []
    for _ in range(3):
        begin = time.process_time()
        clean(text, len(text))
        rounds.append(time.process_time() - begin)
    return min(rounds)


STARTERS = (
    "\x90", "\x98", "\x9b", "\x9d", "\x9e", "\x9f", "\x1b", "\x1b[", "\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_",
    "\x1b(", "\x9c", "\x07", "\r", "\r\n", "\n", "\u2028", " ", "\t", "\u3000", "\u0300", "a\u0301\u0302\u0303",
    "\u200b", "\ud83d", "\udc00", "\ue000", "a", "\u0e49", "ཀ\u0f90\u0fb2\u0f74\u0f90", "\u0651\u0301",
)  # fmt: skip


@pytest.mark.serial
@pytest.mark.parametrize("starter", STARTERS, ids=ascii)
def test_ten_times_the_text_takes_ten_times_as_long_to_clean_whatever_it_holds(starter: str) -> None:
    for before, filler in product(("", "\x90", "\x1b]"), ("", "0", " ", "a", "\x90", "\x1b")):
        unit = starter + filler
        short, long = (before + unit * (count // len(unit)) for count in (1_000, 10_000))
        for attempt in range(4):
            growth = seconds_to_clean(long) / seconds_to_clean(short)
            if growth <= 15:
                break
            assert attempt < 3, f"{unit!r} after {before!r}: {growth:.0f} times as long"


@pytest.mark.parametrize(
    "unit", ["\x1b_", "\x1b_a", "\x1b[m", "\x1bB\x1b[m", "\x1b_\x9bm", "\x90\x07", "\x9bm\x90\x07"], ids=ascii
)
def test_a_text_full_of_escapes_costs_no_call_for_each_of_them(unit: str) -> None:
    called = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal called
        called += event == "call"

    text = unit * 3_000 + "`"
    clean(text, len(text))
    sys.setprofile(count)
    try:
        cleaned = clean(text, len(text))
    finally:
        sys.setprofile(None)
    assert called < 50
    assert cleaned == "a" * 3_000 * ("a" in unit) + "`"


@pytest.mark.serial
def test_one_flood_of_marks_does_not_make_the_whole_text_around_it_slow() -> None:
    text = "x" * 100_000
    for attempt in range(4):
        growth = seconds_to_clean(text + "\u0e49" * 9) / seconds_to_clean(text + "\u0e49")
        if growth <= 4:
            break
        assert attempt < 3, f"{growth:.0f} times as long"


def test_no_mark_of_any_script_can_flood() -> None:
    for code in range(0x110000):
        if unicodedata.category(chr(code)) in ("Mn", "Me"):
            assert len(clean("x" + chr(code) * 60)) <= 5, hex(code)


@pytest.mark.parametrize("marks", ["\u0301", "\u0e49" * 3, "\u064b", "\u20dd"])
@pytest.mark.parametrize("cleaned", [clean, clean_whole, drawable])
def test_marks_that_begin_a_text_stand_on_a_circle_of_their_own(cleaned: Callable[[str], str], marks: str) -> None:
    assert cleaned(f"{marks}a") == f"{PLACEHOLDER}{marks}a"
    assert cleaned(f"\u202e\x1b[31m{marks}a") == f"{PLACEHOLDER}{marks}a"
    assert cleaned(f"e{marks}a") == f"e{marks}a"


@pytest.mark.parametrize("mark", ["\u0301", "\u0e49"])
def test_marks_do_not_stack_over_the_border_of_two_pieces(mark: str) -> None:
    assert longest_row_of_marks(clean_whole("a" * (PIECE - 2) + mark * 9 + "b")) <= MOST_MARKS


@given(st.lists(st.tuples(st.sampled_from(["", "a", "e\u0301", "\u05e9\u05b8\u0307"]), st.integers(0, 3)), max_size=6))
def test_a_flood_over_several_borders_is_cut_as_one(parts: list[tuple[str, int]]) -> None:
    piece = 64
    text = "".join(letter + "\u0e49" * (piece * pieces // 2 + pieces) for letter, pieces in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clean_module, "PIECE", piece)
        assert clean_whole(text) == clean(text, 10 * len(text) + 10)


@pytest.mark.parametrize(
    "line", ["plain text\n", "“text” 日本語 é\n", "\x1b[31mred\x1b[0m “text”\n", "“text” 日本語 é"]
)
def test_a_whole_text_is_never_looked_at_in_one_call(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0

    def counted(piece: str) -> str:
        nonlocal longest
        longest = max(longest, len(piece))
        return without_floods(piece)

    without_floods = clean_module._without_floods
    monkeypatch.setattr(clean_module, "_without_floods", counted)
    assert clean_whole(line * (8 * PIECE // len(line)), lines=True)
    assert longest <= PIECE + 2


def test_lines_are_kept_when_asked_for() -> None:
    assert clean("one\r\n  two\rthree", lines=True) == "one\n  two\nthree"


def test_long_text_is_cut_with_a_mark_and_without_reading_all_of_it() -> None:
    assert clean("x" * 50, 10) == "x" * 9 + "…"
    assert len(clean("\u200b" * 10_000_000, 10)) <= 10


@given(HOSTILE)
def test_what_may_be_drawn_is_one_short_clean_line(text: str) -> None:
    for said in (text, text * (LONGEST_DRAWN // max(len(text), 1) + 1)):
        drawn = drawable(said)
        assert len(drawn) <= LONGEST_DRAWN and "\n" not in drawn
        assert drawn == clean(drawn, LONGEST_DRAWN, lines=True) == drawable(drawn)


def test_what_is_clean_and_short_is_drawn_as_it_is() -> None:
    for text in ("", "  two  spaces ", "x" * LONGEST_DRAWN, "naïve 漢字 Привет"):
        assert drawable(text) == text


class Counting(str):
    """A text that knows how much of it was ever taken."""

    longest = 0

    def __getitem__(self, key: object) -> str:
        taken = super().__getitem__(key)  # type: ignore[index]
        Counting.longest = max(Counting.longest, len(taken))
        return taken

    def isascii(self) -> bool:
        raise AssertionError("all of the text was looked at")

    isprintable = isascii
    __iter__ = isascii  # type: ignore[assignment]


def test_a_long_text_is_cut_before_it_is_cleaned_or_measured() -> None:
    hostile = Counting("\x90\u202e" * 1_000_000)
    Counting.longest = 0
    assert len(drawable(hostile)) <= LONGEST_DRAWN
    assert len(clean(hostile, 200)) <= 200
    for shorten in (shortened_end, shortened_middle):
        assert METRICS.width(shorten(hostile, 80, "text", 13, METRICS), "text", 13) <= 80
    assert Counting.longest <= 2 * LONGEST_DRAWN


@given(st.lists(HOSTILE, max_size=4), st.sampled_from(["\n", "\r\n", "", " "]), st.booleans())
def test_a_whole_text_is_cleaned_in_pieces(parts: list[str], joint: str, lines: bool) -> None:
    text = joint.join(parts)
    assert clean_whole(text, lines=lines) == clean(text, 10 * len(text) + 10, lines=lines)
    long = clean_whole((text + "a" * 30_000 + "\r\n") * 3, lines=True)
    assert "\r" not in long and "\x1b" not in long


def test_a_whole_text_without_line_ends_loses_nothing() -> None:
    text = "\u4e00\r" * PIECE
    assert clean_whole(text, lines=True) == "\u4e00\n" * PIECE
    assert clean_whole("ab\r\n" * PIECE, lines=True) == "ab\n" * PIECE


@given(HOSTILE.map(clean), st.floats(0, 300), st.sampled_from(["text", "title", "mono"]), st.floats(6, 30))
def test_elided_text_is_never_wider_than_its_room(text: str, room: float, face: str, size: float) -> None:
    for shorten in (shortened_end, shortened_middle):
        assert METRICS.width(shorten(text, room, face, size, METRICS), face, size) <= room + 1e-9


def test_prose_is_elided_at_its_end_and_paths_in_their_middle() -> None:
    path = "/home/someone/projects/papers/2024/rlhf/survey.pdf"
    assert shortened_end(path, 150, "text", 13, METRICS).startswith("/home/someone")
    middle = shortened_middle(path, 220, "text", 13, METRICS)
    assert middle.startswith("/home")
    assert middle.endswith("survey.pdf")
    assert "…" in middle


def test_elided_text_fills_its_room() -> None:
    text = "the quick brown fox jumps over the lazy dog"
    shown = shortened_end(text, 120, "text", 13, METRICS)
    longer = text[: len(shown)].rstrip() + "…"
    assert longer != shown
    assert METRICS.width(longer + "dog", "text", 13) > 120


def test_no_space_or_lost_quote_stands_before_the_sign_of_a_cut() -> None:
    for text in ("the forked ” run of the agent", "say “ what it was about", "the forked   run of it"):
        for room in range(30, 200, 3):
            shown = shortened_end(text, room, "text", 13, METRICS)
            assert not re.search(r"[\s]…$|\s[“”]…$", shown), shown


def test_text_that_fits_is_not_touched() -> None:
    assert shortened_end("fits", 500, "text", 13, METRICS) == "fits"
    assert shortened_middle("fits", 500, "text", 13, METRICS) == "fits"


def test_a_short_id_skips_what_stands_before_the_last_colon() -> None:
    assert clean_id("sha256:v2:28c713825fa8efa140c6") == "28c713825fa8"
    assert clean_id("28c713825fa8efa140c6") == "28c713825fa8"
    assert clean_id("\x1b[31m\u202eabc") == clean("\x1b[31m\u202eabc")


MARKED = st.text(st.characters(categories=("Mn", "Me", "Lo", "Zs", "Cs", "Cf")), max_size=30)
LONG = st.lists(st.one_of(HOSTILE, MARKED, st.text(" ab.\n\r", max_size=90)), max_size=12).map("".join)


@given(LONG, st.integers(1, 90), st.booleans())
def test_a_text_cut_early_or_left_alone_is_what_the_whole_way_makes_of_it(text: str, limit: int, lines: bool) -> None:
    quick = clean(text, limit, lines=lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clean_module, "_ENOUGH", len(text))  # nothing is cut before the usual place
        patch.setattr(clean_module, "_rare", lambda: re.compile(""))  # and nothing but ASCII is taken to be clean
        assert quick == clean(text, limit, lines=lines)


def test_printable_text_without_rare_characters_is_what_cleaning_leaves() -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    alone = [char for char in every if char.isprintable() and not clean_module._rare().search(char)]
    assert not set(alone) & set(map(chr, clean_module._INVISIBLE))
    assert not [char for char in alone if unicodedata.category(char) in ("Mn", "Me")]
    assert "".join(alone).translate(clean_module._LETTERS) == "".join(alone)


def test_calls_that_differ_in_a_file_keep_its_name_where_room_is_short() -> None:
    theme, selector = "read(packages/coding-agent/docs/theme.md)", "edit(packages/coding-agent/src/tui/selector.ts)"
    assert shortened_end(theme, 190, "text", 13, METRICS) == "read(…/docs/theme.md)"
    assert shortened_end(f"Calls {theme}", 160, "text", 13, METRICS) == "Calls read(…/theme.md)"
    assert shortened_end(selector, 100, "text", 13, METRICS) == "edit(…lector.ts)"
    assert shortened_end('bash("cat packages/a/b")', 100, "text", 13, METRICS).startswith('bash("cat')


def test_dots_before_the_ellipsis_are_not_drawn_as_six() -> None:
    text = "git diff main...HEAD -- and all the rest of it"
    shown = {shortened_end(text, room, "text", 13, METRICS) for room in range(80, 140)}
    assert "git diff main…" in shown
    assert not any(".…" in cut for cut in shown)


def test_a_long_path_is_broken_at_its_folders_and_not_inside_a_name() -> None:
    title = "read(packages/coding-agent/docs/theme.md)"
    assert wrapped(title, 200, "title", 15, METRICS, 2) == ["read(packages/coding-", "agent/docs/theme.md)"]
    deep = "edit(packages/coding-agent/src/modes/interactive/selectors/theme.ts)"
    lines = wrapped(deep, 200, "title", 15, METRICS, 2)
    assert len(lines) == 2 and lines[1].endswith("theme.ts)") and "…" in lines[0]
    assert wrapped("read(src/reader.py)", 85, "title", 13, METRICS, 2, whole_words=True) == ["read(src/", "reader.py)"]
