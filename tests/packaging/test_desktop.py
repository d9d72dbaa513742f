"""What each desktop is told about the program and its files: texts and tables, and the freedesktop tools' verdict."""

from __future__ import annotations

import ast
import configparser
import os
import plistlib
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import platforms
from opentine_gui.app.system import desktop
from opentine_gui.app.system.desktop import association, linux, windows
from opentine_gui.app.system.desktop.linux import with_default, without_default
from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.core import StorageError
from opentine_gui.core.format.container import MAGIC

AWKWARD = '/home/Ann Ø/it\'s "50%" $HOME `x` \\ done/opentine-gui'


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment of a user with a home of their own."""
    return dict(os.environ)


def words_of(line: str) -> list[str]:
    """The words of an Exec value, read back by the desktop entry specification."""
    text = line.replace("\\\\", "\\")  # the string layer
    words, place = [], 0
    while place < len(text):
        word = ""
        if text[place] == '"':
            place += 1
            while text[place] != '"':
                place += text[place] == "\\"
                word += text[place]
                place += 1
            place += 1
        else:
            while place < len(text) and text[place] != " ":
                word += text[place]
                place += 1
        words.append(word.replace("%%", "%"))
        place += 1
    return words


@pytest.mark.parametrize("command", [("opentine-gui",), (AWKWARD,), ("/usr/bin/python3", "-m", "opentine_gui")])
def test_the_desktop_entry_starts_exactly_this_command(command: tuple[str, ...]) -> None:
    entry = configparser.RawConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read_string(linux.desktop_entry(command))
    section = entry["Desktop Entry"]
    assert words_of(section["Exec"]) == [*command, "open", "%F"]
    assert section["MimeType"] == f"{desktop.MIME_TYPE};"


@given(st.text(st.characters(min_codepoint=32, blacklist_categories=["Cs"], blacklist_characters="="), min_size=1))
def test_any_path_without_control_characters_survives_the_quoting(path: str) -> None:
    assert words_of(linux.quoted_argument(path)) == [path]


@pytest.mark.parametrize("path", ["/a=b/opentine-gui", "/a\nExec=rm", "/a\x1bb"])
def test_a_path_that_a_desktop_entry_cannot_hold_is_refused(path: str) -> None:
    with pytest.raises(StorageError, match="cannot name"):
        linux.desktop_entry((path,))


@pytest.mark.skipif(shutil.which("desktop-file-validate") is None, reason="desktop-file-utils is not installed")
def test_the_desktop_entry_is_valid_by_the_desktops_own_tool(tmp_path: Path) -> None:
    path = tmp_path / "opentine-gui.desktop"
    path.write_text(linux.desktop_entry((AWKWARD,)), encoding="utf-8")
    done = subprocess.run(["desktop-file-validate", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_type_goes_by_name_and_by_the_containers_first_bytes() -> None:
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    (kind,) = ElementTree.fromstring(linux.mime_package())
    match = kind.find(f"{space}magic/{space}match")
    assert match is not None
    assert ast.literal_eval(f'b"{match.get("value")}"') == MAGIC
    found = {child.tag.removeprefix(space): dict(child.attrib) for child in kind}
    assert found["glob"] == {"pattern": "*.tine"} and found["sub-class-of"] == {"type": "application/json"}


def test_icons_of_every_size_are_installed_for_the_program_and_its_files() -> None:
    places = [str(place) for place in linux.shared_files(("opentine-gui",))]
    for size in desktop.ICON_SIZES:
        assert f"icons/hicolor/{size}x{size}/apps/opentine-gui.png" in places
        assert f"icons/hicolor/{size}x{size}/mimetypes/application-x-tine.png" in places


OTHERS = """[Added Associations]
application/x-tine=other.desktop;

[Default Applications]
text/plain=editor.desktop
application/x-tine=other.desktop;opentine-gui.desktop;
"""


def test_becoming_the_default_changes_one_line_and_can_be_taken_back() -> None:
    assert with_default("") == "[Default Applications]\napplication/x-tine=opentine-gui.desktop\n"
    chosen = with_default(OTHERS)
    assert chosen.count("application/x-tine=opentine-gui.desktop\n") == 1 and "text/plain=editor.desktop" in chosen
    assert "[Added Associations]\napplication/x-tine=other.desktop;\n" in chosen
    assert with_default(chosen) == chosen
    assert "opentine-gui" not in without_default(chosen) and "text/plain=editor.desktop" in without_default(chosen)
    assert "\napplication/x-tine=other.desktop\n" in without_default(OTHERS)
    assert without_default("text/plain=a.desktop\n") == "text/plain=a.desktop\n"


def test_associating_and_taking_it_back_leaves_no_file(environment: dict[str, str]) -> None:
    share = linux.data_home(environment)
    said = linux.associate(("/opt/opentine-gui",), environment)
    assert ".tine files of this user open with opentine-gui" in said[0]
    entry = share / "applications" / linux.DESKTOP_ID
    assert "Exec=/opt/opentine-gui open %F" in entry.read_text()
    assert entry.stat().st_mode & 0o777 == 0o644
    assert linux.DESKTOP_ID in linux.defaults_file(environment).read_text()
    linux.dissociate(environment)
    assert linux.DESKTOP_ID not in linux.defaults_file(environment).read_text()
    ours = [path for path in share.rglob("*") if "opentine" in path.name or "x-tine" in path.name]
    assert ours == []
    linux.dissociate(environment)  # a second time does no harm


def test_a_folder_that_cannot_be_written_is_reported_in_a_sentence(home: Path, environment: dict[str, str]) -> None:
    (home / "blocked").write_text("a file where a folder should be")
    with pytest.raises(StorageError, match="blocked"):
        linux.associate(("opentine-gui",), environment | {"XDG_DATA_HOME": str(home / "blocked")})


def test_programs_of_the_system_do_not_get_the_built_programs_libraries() -> None:
    inside = {"LD_LIBRARY_PATH": "/run/unpacked", "LD_LIBRARY_PATH_ORIG": "/opt/lib"}
    inside |= {"_PYI_ARCHIVE_FILE": "x", "A": "b"}
    assert outer_environment(inside) == {"LD_LIBRARY_PATH": "/opt/lib", "A": "b"}
    del inside["LD_LIBRARY_PATH_ORIG"]
    assert outer_environment(inside) == {"A": "b"}
    assert outer_environment({"LD_LIBRARY_PATH": "/usr/local/lib"}) == {"LD_LIBRARY_PATH": "/usr/local/lib"}


def test_the_command_is_the_built_program_or_python_with_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(association.sys, "argv", ["/somewhere/__main__.py"])
    assert association.own_command() == (association.sys.executable, "-m", "opentine_gui")
    monkeypatch.setattr(association.sys, "frozen", True, raising=False)
    assert association.own_command() == (association.sys.executable,)


PROGRAM = r"C:\Users\Ann B\opentine-gui\opentine-gui.exe"


def test_windows_opens_a_file_with_the_program_and_the_file_as_one_word_each() -> None:
    table = {(value.key, value.name): value.text for value in windows.registry_values((PROGRAM,))}
    kind = table[r"Software\Classes\.tine", ""]
    assert table[rf"Software\Classes\{kind}\shell\open\command", ""] == f'"{PROGRAM}" "open" "%1"'
    assert table[rf"Software\Classes\{kind}\DefaultIcon", ""] == f'"{PROGRAM}",0'
    assert table[r"Software\Classes\.tine\OpenWithProgids", kind] == ""
    assert all(key.startswith("Software\\") for key, _ in table)


def test_a_program_path_with_a_quotation_mark_is_not_registered() -> None:
    with pytest.raises(StorageError, match="quotation mark"):
        windows.registry_values(('C:\\a" & del "\\x.exe',))


def test_windows_takes_back_its_own_keys_inner_ones_first_and_no_one_elses() -> None:
    values = windows.registry_values((PROGRAM,))
    keys = windows.keys_to_delete(values)
    for place, key in enumerate(keys):
        assert all(not inner.startswith(key + "\\") for inner in keys[place + 1 :])
    assert {value.key for value in values if value.ours} <= set(keys)
    shared = {r"Software\Classes\.tine", r"Software\Classes\.tine\OpenWithProgids", r"Software\RegisteredApplications"}
    assert not shared & set(keys) and r"Software\Classes" not in keys


def test_the_version_resource_is_one_expression_with_the_programs_version() -> None:
    text = platforms.version_resource("1.20.3")
    tree = ast.parse(text, mode="eval")
    assert isinstance(tree.body, ast.Call)
    assert "filevers=(1, 20, 3, 0)" in text and "StringStruct('ProductVersion', '1.20.3')" in text
    assert platforms.four_numbers("2.0") == (2, 0, 0, 0)
    assert platforms.four_numbers("1.2.3rc1") == (1, 2, 0, 0)


def test_the_property_list_declares_the_document_type_it_exports() -> None:
    again = plistlib.loads(plistlib.dumps(platforms.property_list("1.2.3")))
    (exported,) = again["UTExportedTypeDeclarations"]
    (document,) = again["CFBundleDocumentTypes"]
    assert document["LSItemContentTypes"] == [exported["UTTypeIdentifier"]]
    assert exported["UTTypeTagSpecification"]["public.filename-extension"] == ["tine"]
    assert document["CFBundleTypeRole"] == "Editor" and again["CFBundleVersion"] == "1.2.3"


def test_a_bundle_is_known_by_its_name() -> None:
    inside = "/Applications/opentine-gui.app/Contents/MacOS/opentine-gui"
    assert association.bundle_of(inside) == Path("/Applications/opentine-gui.app")
    assert association.bundle_of("/usr/local/bin/opentine-gui") is None
