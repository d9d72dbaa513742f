"""Wheel, source distribution and build tables: what is shipped, and that every list names the same files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import contents
import deb
import licences
from opentine_gui import __version__
from opentine_gui.app.system.licences import LIBRARIES, licence_lines
from opentine_gui.describe.content.code import LEXERS
from readme import outside

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel and the source distribution, by kind."""
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True, timeout=120)
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


def test_the_wheel_holds_every_asset_the_built_program_holds(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = set(wheel.namelist())
        for source, target in contents.data_files(ROOT):
            assert str(target) in names
            assert wheel.read(str(target)) == source.read_bytes()
        assert not [name for name in names if name.startswith(("tests", "bench", "packaging", "assets"))]


def test_the_wheel_installed_in_a_folder_of_its_own_finds_its_demo_and_icons(
    built: dict[str, Path], tmp_path: Path
) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        wheel.extractall(tmp_path)
    script = (
        "from opentine_gui.assets import asset_path; from opentine_gui.ui import self_test as s; "
        "print(*[asset_path('demo/' + n) for n in s.DEMO], asset_path('icon-64.png'), sep='\\n')"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = [sys.executable, "-P", "-c", script]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert [Path(line).is_relative_to(tmp_path) for line in done.stdout.splitlines()] == [True] * 3


def test_the_module_and_the_installed_script_are_the_same_program(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        scripts = next(name for name in wheel.namelist() if name.endswith("entry_points.txt"))
        assert "opentine-gui = opentine_gui.cli:main" in wheel.read(scripts).decode()
    words = [sys.executable, "-m", "opentine_gui", "--version"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"opentine-gui {__version__}\n"


def test_the_source_distribution_can_build_and_test_everything(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        names = {
            PurePosixPath(name).relative_to(PurePosixPath(name).parts[0]).as_posix() for name in archive.getnames()
        }
    for needed in (
        "Makefile",
        "packaging/opentine_gui.spec",
        "assets/demo/retry-01.tine",
        "tests/conftest.py",
        "LICENSE",
    ):
        assert needed in names
    assert not [name for name in names if name.startswith((".ci", "build/", "dist/", ".venv"))]


def test_what_a_build_excludes_is_nothing_the_program_or_its_libraries_import() -> None:
    names = [name for name in contents.own_modules(ROOT) if not name.endswith("__main__")]
    tables = [f"fontTools.ttLib.tables.{name}" for name in ("_c_m_a_p", "_h_e_a_d", "_h_h_e_a", "_h_m_t_x", "_m_a_x_p")]
    libraries = [
        "fontTools.ttLib",
        *tables,
        "rapidfuzz.fuzz",
        "rapidfuzz.distance",
        "send2trash",
        "wcwidth",
        "watchfiles",
    ]
    script = f"""
import importlib, sys
class Excluded:
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(one + ".") for one in {contents.EXCLUDED_MODULES!r}):
            raise ModuleNotFoundError(f"{{name}} is not in the build")
sys.meta_path.insert(0, Excluded())
for name in {[*names, *libraries, *contents.HIDDEN_MODULES]!r}:
    importlib.import_module(name)
"""
    words = [sys.executable, "-c", script]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_module_of_the_package_is_asked_for_by_name() -> None:
    names = contents.own_modules(ROOT)
    assert {"opentine_gui", "opentine_gui.cli", "opentine_gui.app.system.desktop.linux", "opentine_gui.core"} <= set(
        names
    )
    assert len(names) == len(list((ROOT / "opentine_gui").rglob("*.py"))) == len(set(names))


def test_libraries_a_graphics_driver_brings_itself_are_left_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents.sys, "platform", "linux")
    assert not contents.wanted_binary("libstdc++.so.6") and not contents.wanted_binary("libX11.so.6")
    assert contents.wanted_binary("numpy.libs/libgfortran-040039e1.so.5.0.0")
    assert contents.wanted_binary("libpython3.11.so.1.0")
    monkeypatch.setattr(contents.sys, "platform", "win32")
    assert contents.wanted_binary("numpy.libs\\libscipy_openblas64_-9e3e5a4229c1ca39f10dc82bba9e2b2b.dll")


def test_the_licence_list_names_every_library_the_program_depends_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = {re.split(r"[><=; ]", line)[0] for line in project["dependencies"]}
    assert set(LIBRARIES) == required
    lines = licence_lines()
    for name in required - {"backports.zstd"}:
        assert any(line.lower().startswith(name.lower()) for line in lines), name


def test_a_builds_licences_are_those_of_what_it_holds() -> None:
    held = ["msgspec.json", "networkx.classes.graph", "opentine_gui.cli", "json", "backports/zstd/_zstd.so"]
    text = licences.text(held, [])
    head = text.partition("=" * 100)[0]
    for name in ("msgspec", "networkx", "backports.zstd", "Python", "pyinstaller"):
        assert f"* {name} " in head, name
    assert "* networkx" in head and "BSD-3-Clause" in head
    assert "* numpy " not in head and "* opentine-gui" not in head
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in text and text.count("=" * 100) == 2 * head.count("\n* ")
    assert "BSD License" in text.partition("backports.zstd")[2], "every licence file of a distribution, not the first"
    assert "(no text was found" not in text


def test_the_packages_control_file_has_the_fields_debian_asks_for() -> None:
    text = deb.control("1.2.3", "amd64", 90_000, "2.35")
    fields = dict(line.split(": ", 1) for line in text.splitlines() if re.match(r"[A-Z][\w-]*: ", line))
    assert {"Package", "Version", "Architecture", "Maintainer", "Description"} <= fields.keys()
    assert fields["Depends"].startswith("libc6 (>= 2.35), ") and text.endswith("\n")
    for line in text.splitlines():
        assert re.match(r"[A-Z][\w-]*: \S| \S", line) and len(line) < 200


def test_the_needed_c_library_is_the_newest_any_part_asks_for(tmp_path: Path) -> None:
    (tmp_path / "a.so").write_bytes(b"\x7fELF..GLIBC_2.4\0GLIBC_2.17\0GLIBC_2.2.5\0")
    (tmp_path / "b.so").write_bytes(b"\x7fELF..GLIBC_2.9\0")
    (tmp_path / "words.txt").write_bytes(b"GLIBC_2.99\0")
    assert deb.needed_glibc(tmp_path) == "2.17"


def test_the_build_has_every_language_that_code_is_coloured_in() -> None:
    assert {f"pygments.lexers.{module}" for module, _ in LEXERS.values()} <= set(contents.HIDDEN_MODULES)


def test_the_description_of_a_package_has_no_link_into_the_repository(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        text = wheel.read(name).decode()
    assert "# opentine-gui" in text
    assert "uv tool install ." in text
    assert re.findall(r"\]\((?![a-z]+:|#)[^)]*\)", text) == []


def test_relative_links_become_addresses_where_the_repository_has_one() -> None:
    text = "![a picture](docs/a.png) [a page](docs/B.md#part) [out](https://example.org) [here](#keys)"
    assert outside(text, "https://example.org/x/") == (
        "![a picture](https://example.org/x/raw/main/docs/a.png) "
        "[a page](https://example.org/x/blob/main/docs/B.md#part) [out](https://example.org) [here](#keys)"
    )
    assert outside(text) == "*a picture* a page [out](https://example.org) [here](#keys)"
