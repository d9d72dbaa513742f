"""Windows: the registry values of one user that make the program open .tine files; the table itself is pure."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import msgspec

from opentine_gui.app.system.desktop import DESCRIPTION, FILE_SUFFIX, MIME_TYPE, NAME, TITLE, TYPE_NAME
from opentine_gui.core import StorageError

PROGRAM_ID = "opentine.run"
CLASSES = r"Software\Classes"
CAPABILITIES = rf"Software\{NAME}\Capabilities"
REGISTERED = r"Software\RegisteredApplications"


class RegistryValue(msgspec.Struct, frozen=True):
    """One text value below HKEY_CURRENT_USER. `ours`: the whole key is ours and is removed with it."""

    key: str
    name: str
    text: str
    ours: bool = True


def command_line(command: Iterable[str]) -> str:
    """The command Windows runs for a file, "%1": each word in quotes. StorageError for a word that contains one."""
    words = list(command)
    if any('"' in word for word in words):
        raise StorageError("the program's path holds a quotation mark, which Windows cannot register")
    # %1 is replaced within quotes, and a path cannot contain a quotation mark, so it stays one word.
    return " ".join(f'"{word}"' for word in [*words, "open", "%1"])


def registry_values(command: Iterable[str]) -> tuple[RegistryValue, ...]:
    """Every value to be written, in order: the file type, how to open it, and the "Open with" entry."""
    command = tuple(command)
    program, opening = command[0], command_line(command)
    suffix, kind = rf"{CLASSES}\{FILE_SUFFIX}", rf"{CLASSES}\{PROGRAM_ID}"
    application = rf"{CLASSES}\Applications\{NAME}.exe"
    return (
        RegistryValue(kind, "", TYPE_NAME),
        RegistryValue(kind, "FriendlyTypeName", TYPE_NAME),
        RegistryValue(rf"{kind}\DefaultIcon", "", f'"{program}",0'),
        RegistryValue(rf"{kind}\shell\open\command", "", opening),
        RegistryValue(application, "FriendlyAppName", TITLE),
        RegistryValue(rf"{application}\SupportedTypes", FILE_SUFFIX, ""),
        RegistryValue(rf"{application}\shell\open\command", "", opening),
        RegistryValue(CAPABILITIES, "ApplicationName", TITLE),
        RegistryValue(CAPABILITIES, "ApplicationDescription", DESCRIPTION),
        RegistryValue(rf"{CAPABILITIES}\FileAssociations", FILE_SUFFIX, PROGRAM_ID),
        # From here on the keys may hold values of others: only our own are removed.
        RegistryValue(suffix, "", PROGRAM_ID, ours=False),
        RegistryValue(suffix, "Content Type", MIME_TYPE, ours=False),
        RegistryValue(rf"{suffix}\OpenWithProgids", PROGRAM_ID, "", ours=False),
        RegistryValue(REGISTERED, NAME, CAPABILITIES, ours=False),
    )


def keys_to_delete(values: Iterable[RegistryValue]) -> tuple[str, ...]:
    """The keys that are entirely ours, deepest first, with those between them."""
    roots = (rf"{CLASSES}\{PROGRAM_ID}", rf"{CLASSES}\Applications\{NAME}.exe", rf"Software\{NAME}")
    keys: set[str] = set(roots)
    for value in values:
        for root in roots:
            if value.ours and value.key.startswith(root + "\\"):
                inner = value.key.removeprefix(root + "\\").split("\\")
                keys |= {"\\".join([root, *inner[: depth + 1]]) for depth in range(len(inner))}
    return tuple(sorted(keys, key=lambda key: (-key.count("\\"), key)))


if sys.platform == "win32":
    import ctypes
    import winreg

    def associate(command: Iterable[str]) -> list[str]:
        """Write the values; returns a sentence that says so. StorageError if the registry refuses."""
        try:
            for value in registry_values(command):
                with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, value.key) as key:
                    winreg.SetValueEx(key, value.name, 0, winreg.REG_SZ, value.text)
        except OSError as error:
            raise StorageError("the registry cannot be written", cause=error.strerror) from error
        _tell_explorer()
        return [f"{FILE_SUFFIX} files of this user open with {NAME}."]

    def dissociate(command: Iterable[str]) -> list[str]:
        """Remove our values; what others wrote stays. StorageError if the registry refuses."""
        values = registry_values(command)
        try:
            for value in values:
                if not value.ours:
                    _forget(value)
            for name in keys_to_delete(values):
                try:
                    winreg.DeleteKey(winreg.HKEY_CURRENT_USER, name)
                except FileNotFoundError:
                    continue
        except OSError as error:
            raise StorageError("the registry cannot be written", cause=error.strerror) from error
        _tell_explorer()
        return [f"{FILE_SUFFIX} files of this user do not open with {NAME} any more."]

    def _forget(value: RegistryValue) -> None:
        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, value.key, 0, winreg.KEY_READ | winreg.KEY_SET_VALUE) as key:
                if winreg.QueryValueEx(key, value.name)[0] == value.text:
                    winreg.DeleteValue(key, value.name)
        except FileNotFoundError:
            return

    def _tell_explorer() -> None:
        association_changed = 0x08000000
        ctypes.windll.shell32.SHChangeNotify(association_changed, 0, None, None)
