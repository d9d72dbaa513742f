"""What each system needs to know of the program: version resource, property list, icon. Used by opentine_gui.spec.

Pure functions that can be tested on any system; only `executable_options` and `bundle_options` look at the one the
build runs on.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from opentine_gui import __version__
from opentine_gui.app.system.desktop import DESCRIPTION, FILE_SUFFIX, MIME_TYPE, NAME, TYPE_NAME

BUNDLE_ID = "io.github.opentine.gui"
UNIFORM_TYPE = "io.github.opentine.run"
COPYRIGHT = "Apache-2.0"


def four_numbers(version: str) -> tuple[int, int, int, int]:
    """ "1.2.3" as (1, 2, 3, 0), the form of Windows versions."""
    digits = [int(part) for part in version.split(".") if part.isdigit()][:4]
    numbers = [*digits, 0, 0, 0, 0]
    return numbers[0], numbers[1], numbers[2], numbers[3]


def version_resource(version: str = __version__) -> str:
    """The version resource of the Windows program, in the form PyInstaller reads."""
    numbers = four_numbers(version)
    strings = {
        "CompanyName": "opentine-gui contributors",
        "FileDescription": DESCRIPTION,
        "FileVersion": version,
        "InternalName": NAME,
        "LegalCopyright": COPYRIGHT,
        "OriginalFilename": f"{NAME}.exe",
        "ProductName": NAME,
        "ProductVersion": version,
    }
    table = ",\n        ".join(f"StringStruct({key!r}, {value!r})" for key, value in strings.items())
    return f"""VSVersionInfo(
  ffi=FixedFileInfo(filevers={numbers}, prodvers={numbers}, mask=0x3F, flags=0x0, OS=0x40004, fileType=0x1,
                    subtype=0x0, date=(0, 0)),
  kids=[
    StringFileInfo([StringTable('040904B0', [
        {table}
    ])]),
    VarFileInfo([VarStruct('Translation', [0x0409, 1200])])
  ]
)
"""


def property_list(version: str = __version__) -> dict[str, Any]:
    """What the macOS bundle declares: the document type it edits, and the exported type of .tine files."""
    return {
        "CFBundleDisplayName": NAME,
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "LSMinimumSystemVersion": "11.0",
        "NSHighResolutionCapable": True,
        "NSRequiresAquaSystemAppearance": False,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": TYPE_NAME,
                "CFBundleTypeRole": "Editor",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [UNIFORM_TYPE],
            }
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": UNIFORM_TYPE,
                "UTTypeDescription": TYPE_NAME,
                # Plain or compressed: not every .tine file is text, so the type is data and not JSON here.
                "UTTypeConformsTo": ["public.data", "public.content"],
                "UTTypeTagSpecification": {
                    "public.filename-extension": [FILE_SUFFIX.removeprefix(".")],
                    "public.mime-type": [MIME_TYPE],
                },
            }
        ],
    }


def executable_options(root: Path, folder: Path) -> dict[str, Any]:
    """How PyInstaller makes the program on this system; files it needs are written to `folder`."""
    icon = str(root / "assets" / "icon-256.png")
    if sys.platform == "win32":
        resource = folder / "version.txt"
        resource.write_text(version_resource(), encoding="utf-8")
        # A console program that hides the console it opens: `opentine-gui show` must be able to print.
        return {"console": True, "hide_console": "hide-early", "icon": icon, "version": str(resource)}
    if sys.platform == "darwin":
        # Files opened in the Finder before the program runs arrive as arguments.
        return {"console": False, "argv_emulation": True, "icon": icon}
    return {"console": True}


def bundle_options(root: Path, folder: Path) -> dict[str, Any]:
    """How PyInstaller makes the macOS bundle."""
    return {
        "icon": str(root / "assets" / "icon-512.png"),
        "bundle_identifier": BUNDLE_ID,
        "version": __version__,
        "info_plist": property_list(),
    }
