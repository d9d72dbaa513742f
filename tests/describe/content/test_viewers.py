"""Each viewer shows its kind of text, loses none of it, and makes nothing else of hostile text."""

from __future__ import annotations

import base64
import gc
import io
import json
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from opentine_gui.describe.content.changes.unified_diff import diff_lines
from opentine_gui.describe.content.code import LEXERS, coloured
from opentine_gui.describe.content.lines import MOST_LINES_LOOKED_AT, clean_text, line_with, plain, text_lines
from opentine_gui.describe.content.markdown import inline, markdown_lines
from opentine_gui.describe.content.media import media_of_text
from opentine_gui.describe.content.picture import decode, picture_size
from opentine_gui.describe.content.printed.terminal import terminal_lines
from opentine_gui.describe.content.printed.trace import read_trace
from opentine_gui.describe.content.recognise import recognise
from opentine_gui.describe.content.show_value import Pictures, Wish, show_value
from opentine_gui.describe.content.table import table_lines
from opentine_gui.describe.content.tree_lines import Folds, part_at
from tests.describe.content.shown import said, styled
from tests.describe.content.traces import (
    GO_TRACE,
    JAVA_TRACE,
    JAVASCRIPT_TRACE,
    PYTHON_TRACE,
    RUST_TRACE,
)
from tests.gallery import payloads
from tests.growth import is_squared

REPORT = """# What happened

The importer dies with `KeyError` as soon as a session was **rewound**.

1. first
2. second

| File | Edits |
|---|---|
| reader.py | 5 |

```python
def link(records):
    return None
```
"""
PYTHON = "import json\n\n\ndef link(records):\n    for record in records:\n        return record\n"
DIFF = """diff --git a/reader.py b/reader.py
--- a/reader.py
+++ b/reader.py
@@ -84,3 +84,4 @@ def link(records):
 by_id = {}
-parent = by_id[r]
+parent = by_id.get(r)
+--- not a header
 done
"""
LOG = "".join(f"2026-11-22 06:00:{n:02} INFO reader: record {n}\n" for n in range(20))
TABLE = 'name,edits,note\nreader.py,5,"said ""no"", left"\nsummary.py,13,ok\n'
TERMINAL = "tests/test_reader.py \x1b[32mPASSED\x1b[0m\nnext \x1b[1;31mFAILED\x1b[0m\n"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (REPORT, "markdown"), (PYTHON, "code"), (DIFF, "diff"), (PYTHON_TRACE, "trace"), (JAVASCRIPT_TRACE, "trace"),
        (JAVA_TRACE, "trace"), (RUST_TRACE, "trace"), (GO_TRACE, "trace"), (LOG, "log"), (TABLE, "table"),
        (TERMINAL, "terminal"), ('{"a": [1]}', "json"), ("The importer dies. Find out why, please.", "prose"),
        ("a.py   12\nb.py    7\nlonger.py 1", "text"), ("First, look; then, if it fails, ask.\nThen, stop.", "prose"),
        ("SELECT name, edits\nFROM files\nWHERE edits > 3\nORDER BY name\n", "code"),
    ],
)  # fmt: skip
def test_a_text_is_known_by_what_is_in_it(text: str, kind: str) -> None:
    assert recognise(text).kind == kind


@pytest.mark.parametrize("inside", [DIFF, PYTHON_TRACE, GO_TRACE])
def test_what_a_report_quotes_does_not_make_it_something_else(inside: str) -> None:
    report = f"# Why it failed\n\nIt said **this**:\n\n```\n{inside}```\n\nThen it stopped.\n"
    assert recognise(report).kind == "markdown"


def test_what_begins_like_json_and_is_none_is_known_for_what_it_is() -> None:
    bracketed = "".join(f"[worker-{n}] [INFO] done\n" for n in range(9))
    assert show_value(bracketed, Folds()).label == "Log"
    assert show_value("[1] First, read this.\n[2] Then, stop.", Folds()).label == "Text"


def test_a_long_log_with_a_traceback_in_it_stays_a_log() -> None:
    shown = show_value(LOG * 5 + PYTHON_TRACE, Folds())
    assert shown.label == "Log"
    assert "KeyError: 'parent'" in said(shown.lines)


def test_a_file_name_says_what_plain_text_cannot() -> None:
    assert recognise("x", "src/reader.py") == ("code", "python", "")
    assert recognise("x", "application/json") == ("code", "json", "")
    assert recognise("a,b\n1,2", "x.csv").kind == "table"


def test_what_is_asked_of_a_file_is_prose_and_what_it_holds_is_its_language() -> None:
    asked = "Look at the reader and say why it stops at the first damaged line.\nThen mend it, and write a test. " * 4
    value = {"file_path": "src/reader.py", "prompt": asked, "new_string": f"# {asked}", "body": "x = 1\ny = [x]\n" * 30}
    lines = styled(show_value(value, Folds()).lines)
    faces = {line.text[:7]: line.spans[0].face for line in lines if line.spans and not line.number}
    coded = {line.text[:7] for line in lines if line.number}
    assert (faces["Look at"], "x = 1" in coded, "# Look " in coded) == ("text", True, True)


@given(st.text(st.characters(), max_size=400), st.sampled_from(sorted(LEXERS)))
@settings(max_examples=60)
def test_colours_change_no_letter_of_code(text: str, language: str) -> None:
    rows = coloured(clean_text(text), language)
    assert "\n".join("".join(span.text for span in row) for row in rows) == clean_text(text)


def test_python_is_coloured_and_numbered() -> None:
    line = show_value(PYTHON, Folds()).lines[3]
    assert line.number == "4"
    assert ("def", "keyword") in [(span.text, span.role) for span in line.spans]


def test_a_file_printed_with_numbers_keeps_its_own_and_is_copied_without_them() -> None:
    printed = "".join(f"{number:6}\t{line}\n" for number, line in enumerate(PYTHON.split("\n"), 84))
    lines = show_value(printed, Folds()).lines
    assert [line.number for line in styled(lines)][:3] == ["84", "85", "86"]
    assert "\n".join(said(lines)).rstrip("\n") == PYTHON.rstrip("\n")


@pytest.mark.parametrize("tail", ["\n<system-reminder>\nIt may be malware.\n</system-reminder>", "\n\n(2 more lines)"])
def test_what_a_tool_says_behind_a_file_leaves_the_file_its_numbers(tail: str) -> None:
    printed = "\n".join(f"{number:6}→{line}" for number, line in enumerate(PYTHON.rstrip("\n").split("\n"), 84)) + tail
    shown = show_value(printed, Folds())
    lines = styled(shown.lines)
    count = len(PYTHON.rstrip("\n").split("\n"))
    assert shown.label == "Python"
    assert [line.number for line in lines[:count]] == [str(84 + place) for place in range(count)]
    assert not any(line.number for line in lines[count:])
    assert "\n".join(said(shown.lines)) == PYTHON.rstrip("\n") + tail


def test_numbers_before_some_lines_make_no_listing() -> None:
    text = "1 | one\n2 | two\nthree\n"
    assert "1 | one" in said(show_value(text, Folds()).lines)


@pytest.mark.parametrize("text", ["***both***", "a ***both*** b", "***both*** and ***both***"])
def test_three_stars_are_bold_and_italic(text: str) -> None:
    spans = [span for span in inline(text) if span.text == "both"]
    assert len(spans) == text.count("both")
    assert {(span.role, span.face) for span in spans} == {("emphasis", "title")}
    assert "*" not in "".join(span.text for span in inline(text))


def test_a_difference_is_counted_numbered_and_whole() -> None:
    label, lines = diff_lines(DIFF)
    assert label == "Diff +2 −1"
    assert said(lines) == DIFF.split("\n")
    grounds = {line.text: (line.ground, line.number) for line in styled(lines)}
    assert lines[0].text == "1 file   +2  −1"
    assert grounds["-parent = by_id[r]"] == ("removed", "85")
    assert grounds["+--- not a header"] == ("added", "86")


def test_lines_without_a_known_place_are_not_numbered() -> None:
    shown = diff_lines("--- a.sql\n+++ a.sql\n@@ -0,2 +0,2 @@\n select\n--- old\n+-- new")
    lines = [shown.lines[number] for number in range(len(shown.lines))]
    assert [line.text for line in lines[-4:]] == ["@@", " select", "--- old", "+-- new"]
    assert not any(line.number for line in lines)
    assert "+1 −1" in shown.label


@given(st.lists(st.sampled_from(["+a", "-b", " c", "@@ -1,2 +1,2 @@", "--- a", "+++ b", "", "text", "\\ No newline"])))
def test_a_difference_that_is_none_is_still_whole(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert "\n".join(said(diff_lines(text).lines)) == text


ESCAPES = (
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[38;5;208m",
    "\x1b[48;2;1;2;3m",
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x1b[7m",
    "\x1b[38m",
)


@given(st.lists(st.sampled_from([*ESCAPES, "\x1b[999m", "a", "\n", "word ", "é"]), max_size=40))
def test_terminal_output_says_what_it_says_without_its_escapes(parts: list[str]) -> None:
    text = "".join(parts)
    assert "\n".join(said(terminal_lines(text))) == clean_text(text)


def test_terminal_colours_are_those_asked_for() -> None:
    first, second, *_ = styled(terminal_lines(TERMINAL + "\x1b[38;2;255;0;16mtrue\x1b[38;5;196m256"))
    assert [(span.text, span.role) for span in first.spans][1] == ("PASSED", "ansi2")
    assert [(span.text, span.role) for span in second.spans][1] == ("FAILED", "ansi9")
    third = styled(terminal_lines("\x1b[38;2;255;0;16mtrue\x1b[38;5;196m256"))[0]
    assert [span.role for span in third.spans] == ["#FF0010", "#FF0000"]
    named = styled(terminal_lines("\x1b[38:2::255:0:16mnamed\x1b[0;38:2:255:0:16mshort\x1b[0;48:5:196mground"))[0]
    assert [(span.role, span.ground) for span in named.spans] == [("#FF0010", ""), ("text", "#FF0000")]


def test_the_only_member_of_a_value_is_unfolded_however_many_it_has() -> None:
    items = [{"id": number} for number in range(600)]
    assert said(show_value({"data": {"items": items}}, Folds()).lines)[2:4] == ["0: 1 key", "id: 0"]
    assert said(show_value({"data": {"items": items}, "next": None}, Folds()).lines)[1:3] == [
        "items: 600 items",
        "next: null",
    ]


def test_a_line_end_behind_a_short_text_is_a_mark_and_no_row_of_its_own() -> None:
    assert said(show_value({"stdout": "done\n", "code": 0}, Folds()).lines) == ['stdout: "done" ⏎', "code: 0"]


def test_a_picture_is_shown_upright_as_its_camera_says() -> None:
    image = Image.new("RGB", (40, 20), (200, 0, 0))
    image.paste((0, 200, 0), (0, 0, 10, 20))
    kept, turned = io.BytesIO(), image.getexif()
    turned[0x0112] = 6
    image.save(kept, "JPEG", exif=turned, quality=95)
    media = media_of_text("data:image/jpeg;base64," + base64.b64encode(kept.getvalue()).decode())
    assert media is not None
    assert picture_size(media)[:2] == (20, 40)
    pixels = decode(media)
    assert (pixels.width, pixels.height) == (20, 40)
    first, last = pixels.data[:3], pixels.data[-4:-1]
    assert first[1] > 150 > first[0] and last[0] > 150 > last[1], "what was at the left is at the top"


def test_a_table_has_columns_and_numbers_at_the_right() -> None:
    label, lines = table_lines(TABLE, ",")
    assert label == "Table · 2 rows × 3 columns"
    assert said(lines)[1:] == ['reader.py       5  said "no", left', "summary.py     13  ok             "]


@pytest.mark.parametrize(
    ("text", "size", "last"),
    [
        ("id\tname\n1\tone\n22\ttwo\n", "2 rows × 2 columns", "22  two "),
        ('id,text,n\n1,"one,\ntwo, ""three""",5\n2,"x\ny",66\n', "2 rows × 3 columns", " 2  x y                66"),
        ("\n".join([",".join(f"column_{n}" for n in range(99)), ",".join("1" * 99)] * 2), "3 rows × 99 columns", None),
        (",".join("abc" * 100) + "\n" + ",".join("123" * 100), "1 row × 300 columns, the first 200 shown", None),
        ("".join(f"{n},b,c\n" for n in range(100_002)), None, "100001,b,c"),
    ],
    ids=["tabs", "cells of several lines", "long lines", "too many columns", "too many rows"],
)
def test_a_table_is_recognised_by_its_cells_and_mentions_all_it_leaves_out(
    text: str, size: str | None, last: str | None
) -> None:
    lines = styled(show_value(text, Folds()).lines)
    if size is not None:
        assert lines[0].text == size
    if last is not None:
        assert last in [line.text for line in lines[-2:]]


def one_long_row(count: int) -> object:
    return said(table_lines("a,b,c\n" * (count // 8) + "x," * (count // 4), ",").lines)


def rows_of_pipes(count: int) -> object:
    return said(markdown_lines("a|b\n-|-\n" + "|" * (count // 2) + "\n" + "|\n" * (count // 4)))


def colours_of_nothing(count: int) -> object:
    return said(terminal_lines("\x1b[m" * (count // 3)))


def calls_without_an_end(count: int) -> object:
    return read_trace(["Error: x", f"    at {'a ' * (count // 2)}(("])


def brackets_of_go(count: int) -> object:
    return read_trace(["panic: x", "(" * (count // 2) + ")" * (count // 2) + "x"])


@pytest.mark.parametrize(
    "work", [one_long_row, rows_of_pipes, colours_of_nothing, calls_without_an_end, brackets_of_go]
)
def test_no_viewer_takes_longer_than_the_length(work: Callable[[int], object]) -> None:
    assert not is_squared(work, 1_000)


def picture(form: str, size: tuple[int, int] = (40, 30)) -> str:
    held = io.BytesIO()
    Image.new("RGB", size, (200, 10, 10)).save(held, form)
    return base64.b64encode(held.getvalue()).decode()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_pictures_are_found_and_decoded_from_every_form_they_come_in(form: str) -> None:
    data = picture(form)
    kind = f"image/{form.lower()}"
    for value in (data, f"data:{kind};base64,{data}", {"media_type": kind, "data": data}):
        pictures: Pictures = {}
        shown = show_value(value, Folds(), pictures=pictures)
        assert shown.label == f"{form} 40 × 30"
        (media,) = pictures.values()
        pixels = decode(media, 1)
        assert (pixels.width, pixels.height) == (20, 15)
        assert pixels.data[0] > 180


def test_a_picture_that_is_broken_or_too_large_is_a_sentence() -> None:
    broken = show_value("data:image/png;base64," + "A" * 80, Folds())
    assert said(broken.lines)[0].startswith("image/png · 60 B: it is no PNG")
    cut: Pictures = {}
    show_value("data:image/png;base64," + picture("PNG")[:60] + "A" * 40, Folds(), pictures=cut)
    with pytest.raises(ValueError, match="damaged, or cut off"):
        decode(next(iter(cut.values())))
    head = bytearray(base64.b64decode(picture("PNG")))
    head[16:24] = (100_000).to_bytes(4, "big") * 2
    head[29:33] = zlib.crc32(bytes(head[12:29])).to_bytes(4, "big")
    bomb = base64.b64encode(bytes(head)).decode()
    assert "more than 60,000,000 pixels" in said(show_value(bomb, Folds()).lines)[0]
    assert media_of_text(bomb) is not None


def test_json_in_a_text_opens_as_a_tree_and_raw_shows_it_as_recorded() -> None:
    value = {"result": json.dumps({"deep": {"key": "value"}})}
    assert any("key: " in line for line in said(show_value(value, Folds()).lines))
    raw = said(show_value(value, Folds(), Wish(raw=True)).lines)
    assert raw == json.dumps(value, indent=2).split("\n")


def test_json_lines_open_as_a_list() -> None:
    value = '{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n'
    shown = show_value(value, Folds())
    assert shown.label == "JSON in a text"
    assert said(shown.lines)[:2] == ["0: 2 keys", "id: 1"]
    assert part_at(value, (1, "text")) == "b"


HOSTILE = st.text(
    st.sampled_from(list('#*`_|-+>@{}[]()"\\ \n\t:,.0123456789abcDEF\x1b\x9b\x07\u202e\u200b\ud800')), max_size=300
)


@settings(max_examples=300)
@given(HOSTILE, st.sampled_from(["", "x.py", "x.md", "x.json", "x.csv", "x.diff", "bash"]))
def test_whatever_a_text_is_it_comes_out_clean(text: str, hint: str) -> None:
    value: Any = {"text": text, "again": [text]}
    for shown in (show_value(text, Folds(), Wish(hint=hint)), show_value(value, Folds(), Wish(hint=hint))):
        for line in styled(shown.lines):
            assert "\n" not in line.text
            assert clean_text(line.text) == line.text


def test_what_a_job_hands_over_holds_no_circles() -> None:
    for made in payloads().values():  # lexers and the like are made once
        show_value(made.get("outputs"), Folds())
    gc.collect()
    for name, made in payloads().items():
        shown = show_value(made.get("outputs"), Folds())
        assert len(shown.lines)
        del shown
        assert gc.collect() == 0, name


@pytest.mark.parametrize(
    ("name", "label"),
    [("read", "Python"), ("tests", "Traceback"), ("edit", "Diff +6 −1 · 2 files"), ("again", "Terminal"),
     ("table", "Table · 60 rows × 5 columns"), ("log", "Log"), ("nested", "JSON in a text")],
)  # fmt: skip
def test_the_result_of_a_tool_is_shown_as_what_it_is(name: str, label: str) -> None:
    made = payloads()[name]
    assert show_value(made["outputs"]["result"], Folds(), Wish(hint=made["inputs"].get("file_path", ""))).label == label


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("error: no such file", 2),
        ("error:   no\tsuch file", 2),
        ("HTTPError: no such file", 2),
        ("x: y", None),
        ("error: of another", None),
        ("error: " + "long " * 100, 4),
        ("", None),
    ],
)
def test_the_line_with_a_text_is_found_by_its_beginning_or_by_what_follows_its_name(text: str, found: int) -> None:
    printed = f"y\nran\n  a.c: error: no  such file\nerror: no such file\n{'error: ' + 'long ' * 200}"
    assert line_with(text, text_lines(printed, plain)) == found


def test_of_very_many_lines_the_first_and_the_last_are_looked_at() -> None:
    many = text_lines("\n".join(f"line {number}." for number in range(3 * MOST_LINES_LOOKED_AT)), plain)
    last = len(many) - 1
    assert line_with(f"line {last}.", many) == last
    assert line_with("line 9.", many) == 9
    assert line_with(f"line {MOST_LINES_LOOKED_AT + 5}.", many) is None
