"""Associates .tine files with this program on the present system."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from opentine_gui.app.system.desktop import FILE_SUFFIX, NAME, linux
from opentine_gui.core import StorageError

_LAUNCH_SERVICES = (
    "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister"
)


def own_command() -> tuple[str, ...]:
    """The command that starts this program: the built file, the installed script, or Python with the module."""
    if getattr(sys, "frozen", False):
        return (os.path.abspath(os.environ.get("APPIMAGE") or sys.executable),)
    script = shutil.which(sys.argv[0]) if sys.argv else None
    if script is not None and Path(script).stem == NAME:
        return (os.path.abspath(script),)
    return (sys.executable, "-m", "opentine_gui")


def bundle_of(program: str) -> Path | None:
    """The macOS bundle that contains a program, or None."""
    return next((parent for parent in Path(program).parents if parent.suffix == ".app"), None)


def associate(environment: Mapping[str, str] | None = None, *, remove: bool = False) -> list[str]:
    """Make this program the user's application for .tine files, or undo that; returns sentences that say what was done.

    StorageError if the system refuses or has no file associations.
    """
    command = own_command()
    if sys.platform == "win32":
        from opentine_gui.app.system.desktop import windows

        return windows.dissociate(command) if remove else windows.associate(command)
    if sys.platform == "darwin":
        return _register_bundle(command[0], remove)
    variables = os.environ if environment is None else environment
    return linux.dissociate(variables) if remove else linux.associate(command, variables)


def _register_bundle(program: str, remove: bool) -> list[str]:
    bundle = bundle_of(program)
    if bundle is None:
        raise StorageError(f"macOS knows file types by application bundles; this is not part of {NAME}.app")
    words = [_LAUNCH_SERVICES, "-u" if remove else "-f", str(bundle)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise StorageError("macOS did not take the bundle", path=bundle, cause=done.stderr.strip())
    what = "is not registered any more" if remove else f"is registered for {FILE_SUFFIX} files"
    return [f"{bundle.name} {what}."]
