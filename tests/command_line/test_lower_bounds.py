"""Sums of a log that recorded only a part of each count are lower bounds in every answer of the commands."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from opentine_gui import cli
from opentine_gui.core import fork, read, write
from opentine_gui.core.graph.totals import with_stated
from tests.command_line.answers import one_result


@pytest.fixture
def in_part(source: Path, tmp_path: Path) -> Path:
    """The run as it would be if its log had recorded a part of each count."""
    record = read(source)
    metadata = {**record.metadata, "capture": {"at_least": "Only a part of each count is recorded."}}
    folder = tmp_path / "in part"
    folder.mkdir()
    path = folder / "in-part.tine"
    write(path, msgspec.structs.replace(record, metadata=metadata))
    return path


def test_the_figures_of_a_run_and_of_a_list_are_lower_bounds(
    source: Path, in_part: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (in_part, in_part.parent):
        assert cli.main(["show", str(path)]) == 0
        assert "≥ $0.7500  ≥ 15 tok" in capsys.readouterr().out
        assert one_result(capsys, "show", path)["totals"]["at_least"] is True
    assert cli.main(["show", str(source)]) == 0
    assert "≥" not in capsys.readouterr().out
    assert one_result(capsys, "show", source)["totals"]["at_least"] is False


def test_the_figures_of_a_comparison_are_lower_bounds(
    source: Path, in_part: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["diff", str(in_part), str(source)]) == 0
    out = capsys.readouterr().out
    assert "cost: ≥ $0.7500 → $0.7500" in out
    assert "tokens: ≥ 15 tok → 15 tok" in out
    totals = one_result(capsys, "diff", in_part, source)["totals"]
    sides = {name: (figure["a_at_least"], figure["b_at_least"]) for name, figure in totals.items()}
    exact = (False, False)
    assert sides == {"cost": (True, False), "tokens": (True, False), "duration": exact, "steps": exact}


def test_an_export_says_so_of_what_a_fork_took_over(in_part: Path, tmp_path: Path) -> None:
    record = read(in_part)
    forked = fork(record, record.graph.ids[2], now=1.0, nonce="n")
    path, report = tmp_path / "fork.tine", tmp_path / "fork.md"
    write(path, forked)
    assert cli.main(["export", str(path), "-o", str(report)]) == 0
    (line,) = [line for line in report.read_text(encoding="utf-8").splitlines() if line.startswith("- Taken over")]
    assert "tok" in line
    assert line.count("≥") == 2


def test_a_stated_cost_leaves_no_step_out(in_part: Path) -> None:
    metadata = {"capture": {"stated": {"cost_usd": 1.25}, "counts": {"steps": 5}}}
    unpriced = msgspec.structs.replace(read(in_part).totals, cost=0.0, unpriced=3, not_recorded=2)
    assert unpriced.cost_is_least
    stated = with_stated(unpriced, metadata)
    assert (stated.known_cost, stated.cost_is_least) == (1.25, False)
