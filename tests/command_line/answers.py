"""What the tests of the command line ask of files and of what was printed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import opentine
import pytest

from opentine_gui import cli

ROOT = Path(__file__).parents[2]


def program(*arguments: str | Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a subprocess."""
    return subprocess.run(
        [sys.executable, "-m", "opentine_gui", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, **how,
    )  # fmt: skip


def ids(path: Path) -> list[str]:
    return [step.id for step in opentine.Run.load(path).steps]


def recomputed(path: Path) -> list[str]:
    """Every step's id as the package computes it from the stored step."""
    return [
        opentine.core.step_id(
            step.kind, step.inputs, parent_ids=list(step.parent_ids), outputs=step.outputs,
            model_info=step.model_info, tool_info=step.tool_info, error=step.error,
        )
        for step in opentine.Run.load(path).steps
    ]  # fmt: skip


def sound(path: Path) -> bool:
    """Whether the package loads the file, its digest verifies, and every id is the hash of its step."""
    return opentine.Run.verify_integrity(path).ok and ids(path) == recomputed(path)


def one_result(capsys: pytest.CaptureFixture[str], command: str, *arguments: str | Path, status: int = 0) -> Any:
    """The one result in the JSON that a command prints."""
    assert cli.main([command, *map(str, arguments), "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert (said["schema"], said["command"], said["status"]) == ("opentine-gui/1", command, status)
    (result,) = said["results"]
    return result


def one_complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line written to stderr."""
    captured = capsys.readouterr().err
    assert captured.startswith("opentine-gui: ")
    assert captured.count("\n") == 1
    return captured


def tamper(path: Path, old: str, new: str, *, reseal: bool = False) -> Path:
    """Change text in a file; `reseal` recomputes the digest, as a careful forger would."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if reseal:
        data = json.loads(path.read_text())
        data["metadata"]["integrity"]["digest"] = opentine.Run.verify_integrity(path).actual
        path.write_text(json.dumps(data, indent=2, sort_keys=True))
    return path
