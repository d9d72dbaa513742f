"""The lock on the program's own files: one writer at a time, and a lock that cannot be released makes nothing fail."""

from __future__ import annotations

from pathlib import Path

import filelock
import pytest

from opentine_gui.app.state.own_files import held_lock
from opentine_gui.app.state.settings import Settings, load_settings, save_settings


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    with held_lock(path, 1.0):
        other = filelock.FileLock(f"{path}.lock", is_singleton=False)
        with pytest.raises(filelock.Timeout):
            other.acquire(timeout=0)
    other.acquire(timeout=0)
    other.release()


def test_what_was_written_is_not_claimed_to_have_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_lock: filelock.FileLock, _force: bool = False) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(filelock.FileLock, "release", refused)
    save_settings(Settings(theme="light"), tmp_path)
    assert load_settings(tmp_path).theme == "light"
