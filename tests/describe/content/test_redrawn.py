"""Lines drawn over and over read as a terminal leaves them; what was drawn before stands in Raw."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.describe.content.printed.redrawn import last_states
from opentine_gui.describe.content.show_value import Wish, show_value
from opentine_gui.describe.content.tree_lines import Folds
from tests.describe.content.shown import said, styled
from tests.growth import is_squared

PIP = (
    "Collecting numpy\r\n  Downloading numpy-2.0.whl (16 MB)\r\n"
    "\x1b[2K     \x1b[38;5;237m━━━━━━━━\x1b[0m 0.0/16.1 MB ? eta -:--:--\r"
    "\x1b[2K     \x1b[38;5;70m━━━━\x1b[0m━━━━ 8.1/16.1 MB 9.1 MB/s\r"
    "\x1b[2K     \x1b[38;5;70m━━━━━━━━\x1b[0m 16.1/16.1 MB 9.3 MB/s\r\n"
    "Installing collected packages: numpy\nSuccessfully installed numpy-2.0\n"
)
GIT = (
    "Cloning into 'x'...\n"
    + "".join(f"Receiving objects: {n:3d}% ({n}/100)\r" for n in range(100))
    + "Receiving objects: 100% (100/100), done.\n"
)


@pytest.mark.parametrize(
    ("text", "shown", "earlier"),
    [
        ("10%\r20%\r100%\n", "100%\n", 2),
        ("10%\r20%\r100%\r", "100%", 2),
        ("Building | 10%\rDone 5%\n", "Done 5%g | 10%\n", 1),  # what is not written over stays
        ("Building | 10%\rDone 5%\x1b[K\n", "Done 5%\x1b[K\n", 1),
        ("a long line of work 1/2\r\x1b[Kok\nnext", "\x1b[Kok\nnext", 1),
        ("\x1b[1G\x1b[0K⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Kadded 5 packages\n", "\x1b[0Kadded 5 packages\n", 2),
        ("\x1b[32m 10%\r 20%\n", "\x1b[32m 20%\n", 1),
        ("one\r\ntwo\r\n", "one\r\ntwo\r\n", 0),
        ("name,age\rAda,36\rAlan,41\r", "name,age\rAda,36\rAlan,41\r", 0),  # an old file's line ends
    ],
)
def test_a_line_reads_as_it_was_last_drawn(text: str, shown: str, earlier: int) -> None:
    assert last_states(text) == (shown, earlier)


def test_a_bar_is_one_line_and_raw_has_them_all() -> None:
    shown = show_value(PIP, Folds())
    lines = said(shown.lines)
    assert (shown.label, len(lines)) == ("Terminal", 6)
    assert [line for line in lines if "/16.1" in line] == ["     ━━━━━━━━ 16.1/16.1 MB 9.3 MB/s"]
    assert styled(shown.lines)[0].text == "Last state of lines that were drawn again; Raw shows 2 earlier ones"
    assert styled(shown.lines)[0].ours
    raw = "\n".join(said(show_value(PIP, Folds(), Wish(raw=True)).lines))
    assert "0.0/16.1" in raw
    assert "8.1/16.1" in raw
    assert [line for line in said(show_value(GIT, Folds()).lines) if "objects" in line] == [
        "Receiving objects: 100% (100/100), done."
    ]


@pytest.mark.parametrize("hint", ["x.py", "x.csv"])
def test_a_file_loses_nothing(hint: str) -> None:
    lines = "\n".join(said(show_value("import os\rimport sys\nx = 1\n" * 3, Folds(), Wish(hint=hint)).lines))
    assert lines.count("import os") == 3


def test_a_command_hides_nothing_behind_a_return() -> None:
    value = {"command": "rm -rf ~/work; echo 50%\rls -l 100%\n" * 20}
    assert "\n".join(said(show_value(value, Folds()).lines)).count("rm -rf") == 20


@given(st.text(st.sampled_from(list("ab%1/2 \r\n\x1b[KmG3")), max_size=120))
def test_every_line_keeps_its_place(text: str) -> None:
    settled, earlier = last_states(text)
    assert settled.count("\n") == text.count("\n")
    assert earlier >= 0


def returns(count: int) -> object:
    return last_states("1/2 \x1b[32m abc\r" * (count // 12) + "\n")


def alone(count: int) -> object:
    return last_states("1/2\r\n\r" * (count // 6))


def shrinking(count: int) -> object:
    return last_states("%" + "\r".join("x" * ((count % 97) + 1) for _ in range(count // 50)))


@pytest.mark.parametrize("work", [returns, alone, shrinking])
def test_it_takes_no_longer_than_the_text(work: object) -> None:
    assert not is_squared(work, 1_000)  # type: ignore[arg-type]
