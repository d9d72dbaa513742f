"""Linux and other freedesktop.org systems: desktop entry, MIME type, icons, default application."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from opentine_gui.app.system.desktop import DESCRIPTION, FILE_SUFFIX, ICON_SIZES, MIME_TYPE, NAME, TITLE, TYPE_NAME
from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.assets import asset_path
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage

DESKTOP_ID = f"{NAME}.desktop"
READABLE = 0o644
DEFAULTS = "[Default Applications]"
_UPDATE_SECONDS = 60.0


def quoted_argument(text: str) -> str:
    """A word of an Exec line, quoted by the desktop entry specification. StorageError for a word it cannot contain."""
    if "=" in text or any(ord(char) < 32 for char in text):
        raise StorageError("a desktop entry cannot name a program with such characters in its path", path=text)
    if text and all(char.isalnum() or char in "/._-+" for char in text):
        return text
    for char in '\\"`$':
        text = text.replace(char, "\\" + char)
    # A second layer: the value as a whole is a string, in which a backslash is written twice; % begins a field code.
    return '"' + text.replace("\\", "\\\\").replace("%", "%%") + '"'


def desktop_entry(command: Iterable[str]) -> str:
    """The desktop entry of the program that `command` starts; %F stands for the files to open."""
    words = " ".join(quoted_argument(word) for word in command)
    return f"""[Desktop Entry]
Type=Application
Version=1.1
Name={TITLE}
GenericName=Agent run editor
Comment={DESCRIPTION}
Exec={words} open %F
Icon={NAME}
Terminal=false
Categories=Development;
MimeType={MIME_TYPE};
Keywords=agent;run;trace;graph;fork;merge;tine;
StartupWMClass={TITLE}
"""


def mime_package() -> str:
    """The MIME type for shared-mime-info: by name, and by the magic bytes of TINEZ1 (docs/FORMAT.md, section 13)."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{MIME_TYPE}">
    <comment>{TYPE_NAME}</comment>
    <sub-class-of type="application/json"/>
    <icon name="{MIME_TYPE.replace("/", "-")}"/>
    <glob pattern="*{FILE_SUFFIX}"/>
    <magic priority="80">
      <match type="string" offset="0" value="TINEZ1\\x00"/>
    </magic>
  </mime-type>
</mime-info>
"""


def shared_files(command: Iterable[str]) -> dict[PurePosixPath, bytes]:
    """Every file to put below a `share` folder, by its path there, for a package or for one user."""
    files = {
        PurePosixPath("applications", DESKTOP_ID): desktop_entry(command).encode(),
        PurePosixPath("mime/packages", f"{NAME}.xml"): mime_package().encode(),
    }
    for size in ICON_SIZES:
        picture = asset_path(f"icon-{size}.png").read_bytes()
        folder = PurePosixPath("icons/hicolor", f"{size}x{size}")
        files[folder / "apps" / f"{NAME}.png"] = picture
        files[folder / "mimetypes" / f"{MIME_TYPE.replace('/', '-')}.png"] = picture
    return files


def with_default(text: str, mime: str = MIME_TYPE, entry: str = DESKTOP_ID) -> str:
    """A mimeapps.list in which `entry` is the default application for `mime`; everything else stays as it was."""
    lines = without_default(text, mime, None).splitlines()
    if DEFAULTS not in lines:
        lines += ["", DEFAULTS] if lines else [DEFAULTS]
    lines.insert(lines.index(DEFAULTS) + 1, f"{mime}={entry}")
    return "\n".join(lines) + "\n"


def without_default(text: str, mime: str = MIME_TYPE, entry: str | None = DESKTOP_ID) -> str:
    """A mimeapps.list in which `entry` (None: any) is not the default for `mime` any more."""
    kept, section = [], ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip()
        key, sign, value = line.partition("=")
        if sign and section == DEFAULTS and key.strip() == mime:
            others = [one for one in value.strip().strip(";").split(";") if entry is not None and one.strip() != entry]
            if not others:
                continue
            line = f"{mime}={';'.join(others)}"
        kept.append(line)
    return "\n".join(kept) + ("\n" if kept else "")


def data_home(environment: Mapping[str, str]) -> Path:
    """The user's folder for applications, types and icons."""
    return _folder(environment, "XDG_DATA_HOME", ".local/share")


def defaults_file(environment: Mapping[str, str]) -> Path:
    """The user's file of default applications."""
    return _folder(environment, "XDG_CONFIG_HOME", ".config") / "mimeapps.list"


def associate(command: Iterable[str], environment: Mapping[str, str]) -> list[str]:
    """Make the program this user's application for .tine files; returns what was done, in sentences. StorageError."""
    share = data_home(environment)
    for place, data in shared_files(command).items():
        storage.write_bytes_atomic(share / place, data, mode=READABLE, make_folders=True)
    defaults = defaults_file(environment)
    storage.write_bytes_atomic(defaults, with_default(_text(defaults)).encode(), mode=READABLE, make_folders=True)
    return [f"{FILE_SUFFIX} files of this user open with {NAME} ({share}).", *_tell_desktop(share, environment)]


def dissociate(environment: Mapping[str, str]) -> list[str]:
    """Undo `associate`; returns sentences that say what was done. StorageError."""
    share, defaults = data_home(environment), defaults_file(environment)
    try:
        for place in shared_files((NAME,)):
            (share / place).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError("this file cannot be removed", path=error.filename, cause=error.strerror) from error
    before = _text(defaults)
    after = without_default(before)
    if after != before:
        storage.write_bytes_atomic(defaults, after.encode(), mode=READABLE, make_folders=True)
    return [f"{FILE_SUFFIX} files of this user do not open with {NAME} any more.", *_tell_desktop(share, environment)]


def _folder(environment: Mapping[str, str], name: str, otherwise: str) -> Path:
    given = environment.get(name, "")
    return Path(given) if given.startswith("/") else Path(environment.get("HOME") or Path.home()) / otherwise


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError("the list of default applications cannot be read", path=path, cause=error) from error


def _tell_desktop(share: Path, environment: Mapping[str, str]) -> list[str]:
    """Update the desktop's caches; returns a sentence for each that could not be updated."""
    said = []
    for words in (
        ("update-mime-database", str(share / "mime")),
        ("update-desktop-database", str(share / "applications")),
        ("gtk-update-icon-cache", "-q", "-t", "-f", str(share / "icons" / "hicolor")),
    ):
        program = shutil.which(words[0], path=environment.get("PATH"))
        if program is None:
            if words[0] != "gtk-update-icon-cache":  # a cache few desktops need
                said.append(f"{words[0]} is not installed: some desktops see the change only after the next log-in.")
            continue
        try:
            done = subprocess.run(
                [program, *words[1:]],
                env=outer_environment(environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_UPDATE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            said.append(f"{words[0]} did not run: {error}")
            continue
        if done.returncode != 0 and words[0] != "gtk-update-icon-cache":
            said.append(f"{words[0]} ended with {done.returncode}.")
    return said
