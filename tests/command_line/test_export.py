"""`opentine-gui export`: the suffix chooses the format; and the rules of every command that writes a file."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import opentine
import pytest
from PIL import Image

from bench.session_runs import session_run
from opentine_gui import cli
from opentine_gui.core.files import storage
from opentine_gui.export import FORMATS
from opentine_gui.export.picture import image
from tests.conftest import run_of

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"
A, B, C = DEMO / "research-01.tine", DEMO / "retry-01.tine", DEMO / "merged" / "evidence.tine"
BEGINS = {
    "svg": b"<?xml", "png": b"\x89PNG", "html": b"<!DOCTYPE html>", "mmd": b"flowchart TD", "dot": b"digraph run {",
    "graphml": b"<?xml", "md": b"# ", "json": b"{",
}  # fmt: skip


def export(*arguments: str | Path) -> int:
    return cli.main(["export", *map(str, arguments)])


def width_of(svg: bytes) -> float:
    return float(ElementTree.fromstring(svg).attrib["width"])


def test_the_help_and_the_page_of_commands_name_an_ending_of_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["export", "--help"]) == 0
    for text in (capsys.readouterr().out, (ROOT / "docs" / "COMMANDS.md").read_text(encoding="utf-8")):
        assert [name for name, row in FORMATS.items() if f" {row.suffixes[0]}" not in text.replace("`", " ")] == []


@pytest.mark.parametrize("ending", BEGINS)
def test_the_ending_says_the_format(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, sources in enumerate(([A], [A, B, C])):
        out = tmp_path / f"{number}.{ending}"
        assert export(*sources, "-o", out) == 0
        assert out.read_bytes().startswith(BEGINS[ending])
        assert str(out) in capsys.readouterr().out
    compared = tmp_path / f"c.{ending}"
    assert export(A, B, "--compare", "-o", compared) == 0
    assert compared.read_bytes() != (tmp_path / f"0.{ending}").read_bytes()


def test_options_reach_the_picture(tmp_path: Path) -> None:
    def made(name: str, *options: str) -> bytes:
        assert export(A, "-o", tmp_path / name, *options) == 0
        return (tmp_path / name).read_bytes()

    plain = made("a.svg")
    assert b"#12151a" in plain
    assert b"#f3f5f8" in made("b.svg", "--theme", "light")
    assert width_of(made("c.svg", "--scale", "2")) == 2 * width_of(plain)
    assert made("e.svg", "--direction", "left-to-right") != plain
    assert b">A title<" in made("f.svg", "--title", "A title")
    few = made("g.svg", "--steps", "2a55e61c,f6a7fb83")
    assert b"2 steps of 27" in few
    assert len(few) < len(plain) / 5


def test_a_card_names_the_files_and_how_to_repeat_it(tmp_path: Path) -> None:
    out = tmp_path / "card.md"
    assert export(A, B, "--card", "-o", out) == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith("# What changed: A research-01 → B retry-01")
    assert "opentine-gui diff research-01.tine retry-01.tine" in text


def test_secrets_are_hidden_if_asked_for_and_never_in_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = "ghp_" + "Abc123Def456Ghi789Jkl012Mno345Pqr678"
    source = storage.write(tmp_path / "run.tine", run_of({f"use {key}": ""}))
    out = tmp_path / "a.json"
    assert export(source, "--hide-secrets", "-o", out) == 0
    assert key not in out.read_text(encoding="utf-8")
    assert "[GitHub token]" in out.read_text(encoding="utf-8")
    assert "; secrets hidden in 1 place; check for others yourself" in capsys.readouterr().out
    assert export(source, "-o", out, "--force") == 0
    assert key in out.read_text(encoding="utf-8")
    assert export(source, "--hide-secrets", "--steps", "0", "-o", tmp_path / "b.tine") == 1
    assert "nothing is hidden in a .tine" in capsys.readouterr().err


@pytest.mark.parametrize("options", [("a.md",), ("a.svg", "--groups"), ("card.md", "--card"), ("card.svg", "--card")])
def test_names_and_titles_hide_their_secrets_too(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key = "ghp_" + "Abc123Def456Ghi789Jkl012Mno345Pqr678"
    name, *others = options
    texts = [f"use {key}", f"and {key}"][: 2 if "--card" in others else 1]
    paths = [storage.write(tmp_path / f"{number} {key}.tine", run_of({text: ""})) for number, text in enumerate(texts)]
    out = tmp_path / name
    assert export(*paths, "--title", f"With {key}", "-o", out, *others) == 0
    assert key in out.read_text(encoding="utf-8").replace("\\_", "_")
    capsys.readouterr()
    assert export(*paths, "--title", f"With {key}", "--hide-secrets", "-o", out, "--force", *others) == 0
    assert key[4:] not in out.read_text(encoding="utf-8")
    count = 1 + 2 * len(paths)  # the title; of each file what it holds, and its name
    assert f"; secrets hidden in {count} places; check for others yourself" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="there is no umask")
def test_an_export_is_as_readable_as_the_umask_says(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        assert export(A, "-o", tmp_path / "a.md") == 0
        assert export(A, "-o", tmp_path / "a.svg") == 0
    finally:
        os.umask(before)
    assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("a.md", "a.svg")] == [0o640, 0o640]


def test_steps_leave_as_a_run_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "evidence.tine"
    assert export(A, "--steps", "2a55e61c", "--title", "The page is gone", "-o", out) == 0
    assert opentine.Run.verify_integrity(out).ok
    assert opentine.Run.load(out).metadata["forked_from"] == "research-01"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    capsys.readouterr()
    assert export(A, "-o", tmp_path / "copy.tine") == 1
    assert "name the steps" in capsys.readouterr().err


def test_a_picture_of_a_long_run_is_as_large_as_its_format_holds_unless_a_scale_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "MOST_PIXELS", 500_000)
    out = tmp_path / "x.png"
    assert export(A, "-o", out, "--scale", "1") == 1
    assert "a scale of 0." in capsys.readouterr().err and not out.exists()
    assert export(A, "-o", out) == 0
    assert re.search(r"at \d+% of its size: a PNG holds no more", capsys.readouterr().out)
    with Image.open(out) as picture:
        assert 400_000 < picture.width * picture.height <= 500_000


@pytest.mark.parametrize("direction", ["top-to-bottom", "left-to-right"])
def test_a_long_run_is_a_page_in_groups_and_a_ribbon_step_by_step(direction: str, tmp_path: Path) -> None:
    source = storage.write(tmp_path / "long.tine", session_run(400))
    sizes = []
    for more in ([], ["--groups"]):
        out = tmp_path / "x.svg"
        assert export(source, "-o", out, "--force", "--direction", direction, *more) == 0
        drawn = ElementTree.parse(out).getroot().attrib
        sizes.append((float(drawn["width"]), float(drawn["height"])))
    (wide, high), (width, height) = sizes
    assert max(wide / high, high / wide) > 10
    assert max(width / height, height / width) < 3
    assert "steps in a card" in out.read_text()


def test_a_picture_that_is_made_smaller_names_the_one_in_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image, "MOST_PIXELS", 500_000)
    for more, named in (([], True), (["--groups"], False)):
        assert export(A, "-o", tmp_path / "x.png", "--force", *more) == 0
        assert ("--groups draws it in groups" in capsys.readouterr().out) is named


def test_groups_are_drawn_of_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(A, B, "--groups", "-o", tmp_path / "x.svg") == 1
    assert "--groups draws one run, and 2 are given" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["OUT/x.md", "--groups"], "groups of steps are a picture (svg or png), not markdown"),
        (["OUT/x.svg", "--groups", "--steps", "a"], "it does not go with --steps"),
        (["OUT/x.svg", "--groups", "--card"], "it does not go with --card"),
        (["OUT/x.xyz"], "a file's ending says its format"),
        (["OUT/x"], "a file's ending says its format"),
        (["OUT/x.svg", "--compare"], "two runs, not of 1"),
        (["OUT/x.html", "--card"], "two runs"),
        (["OUT/x.svg", "--steps", "zzzz"], "there is no step 'zzzz'"),
        (["OUT/x.svg", "--scale", "50"], "a scale is between"),
        (["OUT/x.png", "--scale", "10"], "an SVG"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line_and_leaves_nothing(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [argument.replace("OUT", str(tmp_path)) for argument in arguments]
    assert export(A, "-o", *arguments) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith("opentine-gui: ") and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", [["--theme", "pink"], ["--scale", "0"], ["--scale", "x"], ["--steps", "a,,b"]])
def test_what_is_not_understood_exits_2(option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(A, "-o", tmp_path / "x.svg", *option) == 2
    assert capsys.readouterr().err.startswith("opentine-gui: ")


def test_nothing_is_overwritten_without_force_and_a_source_never(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.md"
    out.write_text("mine")
    assert export(A, "-o", out) == 1
    assert out.read_text() == "mine"
    assert export(A, "-o", out, "--force") == 0
    assert out.read_text().startswith("# ")
    source = tmp_path / "source.tine"
    source.write_bytes(A.read_bytes())
    assert export(source, "--steps", "2a55e61c", "-o", source, "--force") == 1
    assert source.read_bytes() == A.read_bytes()
    assert "never overwritten" in capsys.readouterr().err


def test_a_source_that_cannot_be_read_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(tmp_path / "none.tine", "-o", tmp_path / "x.svg") == 2
    assert "none.tine" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert export(tmp_path / "empty", "-o", tmp_path / "x.svg") == 2
    assert not (tmp_path / "x.svg").exists()


def test_runs_of_one_name_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.tine").write_bytes((A if name == "one" else B).read_bytes())
    out = tmp_path / "x.md"
    assert export(tmp_path / "one" / "run.tine", tmp_path / "two" / "run.tine", "--compare", "-o", out) == 0
    assert out.read_text().startswith("# one/run and two/run\n")


def test_a_picture_needs_no_display_and_no_window(tmp_path: Path) -> None:
    probe = (
        "import sys; from opentine_gui.cli import main; status = main(sys.argv[1:]);"
        "sys.exit(status or ('dearpygui' in sys.modules) or ('opentine_gui.app' in sys.modules))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", probe, "export", str(A), "-o", str(tmp_path / "x.png")],
        cwd=ROOT, env={"PATH": "", "HOME": str(tmp_path)}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "x.png").stat().st_size > 10_000
