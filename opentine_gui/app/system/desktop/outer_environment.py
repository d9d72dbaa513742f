"""The environment for programs of the system that this program starts."""

from __future__ import annotations

import sys
from collections.abc import Mapping

_LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_OF_THE_BUILD = "_PYI_"


def outer_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """A copy of the environment without what a built program sets for its own libraries.

    PyInstaller keeps a library path from before under the same name with `_ORIG`.
    """
    result = {name: value for name, value in environment.items() if not name.startswith(_OF_THE_BUILD)}
    if len(result) < len(environment) or getattr(sys, "frozen", False):
        for name in _LIBRARY_PATHS:
            before = result.pop(f"{name}_ORIG", None)
            result.pop(name, None)
            if before is not None:
                result[name] = before
    return result
