"""The built program: it runs where no Python is, holds nothing needless, and knows the licences of what it holds."""

from __future__ import annotations

import re
import subprocess
from importlib.metadata import packages_distributions
from pathlib import Path

from opentine_gui import __version__
from tests.frozen.conftest import Desktop

ROOT = Path(__file__).parents[2]
NEEDLESS = ("tkinter", "tcl", "/tests/", "pytest", "opentine/", "hypothesis", "avif")
RECORDINGS = ROOT / "tests" / "data" / "recordings"
LOGS = {".jsonl", ".json", ".sqlite", ".db", ".eval"}
MOST_FOLDER_BYTES = 115_000_000


def test_it_tests_itself_in_a_real_window_where_no_python_is(desktop: Desktop, program: Path, tmp_path: Path) -> None:
    desktop.environment["PATH"] = str(tmp_path)
    done = desktop.run(program, "self-test", "--picture", tmp_path / "picture.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert "opened a database and a WebP picture" in done.stdout.splitlines()
    assert done.stdout.splitlines()[-1] == "self-test: everything works"
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_self_test_that_cannot_work_ends_with_1_and_says_why(desktop: Desktop, program: Path) -> None:
    done = desktop.run("env", "--unset=DISPLAY", program, "self-test")
    assert done.returncode == 1
    assert done.stderr == (
        "opentine-gui: self-test: there is no display (DISPLAY is not set); start the program on a desktop, "
        "over ssh with ssh -X, or on a display that is not shown: xvfb-run -a opentine-gui …\n"
    )


def test_a_self_test_fails_when_a_part_of_the_program_is_missing(
    desktop: Desktop, program: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(program.parent), str(copy)], check=True)
    next(copy.rglob("demo/retry-01.tine")).write_text("{}")
    done = desktop.run(copy / "opentine-gui", "self-test")
    assert done.returncode == 1 and "retry-01.tine" in done.stderr


def test_the_command_line_works_in_the_built_program(desktop: Desktop, program: Path, runs: Path) -> None:
    assert desktop.run(program, "--version").stdout == f"opentine-gui {__version__}\n"
    verified = desktop.run(program, "verify", runs / "retry-01.tine")
    assert verified.returncode == 0 and "digest matches" in verified.stdout
    assert desktop.run(program, "show", runs / "missing.tine").returncode == 2


def test_the_readers_of_every_format_are_inside(desktop: Desktop, program: Path) -> None:
    """They are imported by their names in a table, which no builder of programs can read."""
    kinds = sorted(folder for folder in RECORDINGS.iterdir() if folder.is_dir())
    assert len(kinds) > 10
    for folder in kinds:
        files = [path for path in sorted(folder.rglob("*.*")) if path.name != "expected.json" and path.suffix in LOGS]
        read = [desktop.run(program, "show", path) for path in files[:4]]
        assert any(done.returncode == 0 and not done.stderr for done in read), (folder.name, read)


def test_nothing_needless_is_inside(program: Path) -> None:
    files = [path for path in program.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    names = [str(path.relative_to(program.parent)).lower() for path in files]
    assert [name for name in names for word in NEEDLESS if word in name] == []
    assert sum(path.stat().st_size for path in files) < MOST_FOLDER_BYTES


def test_the_licences_of_all_that_is_inside_are_inside(program: Path) -> None:
    text = next(program.parent.rglob("THIRD_PARTY_LICENSES.txt")).read_text(encoding="utf-8")
    head = text.partition("=" * 100)[0].lower()
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "opentine_gui").rglob("*.py"))
    owners = packages_distributions()
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", sources, re.MULTILINE)) & owners.keys()
    used = {owner.lower() for name in imported for owner in owners[name]} - {"opentine-gui"}
    assert {"dearpygui", "msgspec", "numpy", "pillow", "watchfiles"} <= used
    for name in (*used, "python", "pyinstaller"):
        assert f"* {name} " in head, name
    assert "(no text was found" not in text
