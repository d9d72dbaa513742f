"""The benchmark measures the same work on both sides and refuses to report on files the sides do not agree about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bench.__main__ as benchmark


def test_a_small_measurement_has_a_row_for_every_operation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "deep" / "bench.json"
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")  # so that what main() sets is taken back
    monkeypatch.setattr("sys.argv", ["bench", "--steps", "30", "--output", str(output)])
    assert benchmark.main() == 0
    rows = json.loads(output.read_text())["rows"]
    assert [row["operation"].split()[0] for row in rows] == ["open", "save", "verify", "fork"]
    assert all(row["ours"] > 0 and row["ratio"] == row["reference"] / row["ours"] for row in rows)
    assert "ratio" in capsys.readouterr().out


def test_nothing_is_measured_when_the_package_does_not_accept_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark.opentine.Run, "verify_integrity", lambda path: type("Bad", (), {"ok": False}))
    with pytest.raises(SystemExit, match="nothing was measured"):
        benchmark.measure(5, tmp_path)
