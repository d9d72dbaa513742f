"""The lines of the About box."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.system import licences


def test_what_is_installed_is_read_once_however_many_frames_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(licences, "asset_path", lambda name: tmp_path / name)
    monkeypatch.setattr(licences, "_line", lambda library: read.append(library) or library)
    licences.licence_lines.cache_clear()
    try:
        lines = [licences.licence_lines() for _ in range(3)]
    finally:
        licences.licence_lines.cache_clear()
    assert read == list(licences.LIBRARIES)
    assert lines == [lines[0]] * 3
