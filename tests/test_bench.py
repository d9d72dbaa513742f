"""The benchmark measures the same work on both sides, judges targets correctly, and says what it could not measure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import bench.__main__ as benchmark
from bench import core
from bench.layout import stages_of
from bench.layout_families import FAMILIES
from bench.table import Row, at_most, faster, share, table
from opentine_gui.layout import LayoutRequest, lay_out


def test_a_small_measurement_has_a_row_for_every_operation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")
    monkeypatch.setattr(core, "REPEATS", 1)
    rows = list(core.measure(30, tmp_path))
    assert [row.what.split(",")[0] for row in rows] == ["load", "save", "verify", "fork", "fork half-way"]
    assert all(row.ours >= 0 and row.reference for row in rows)


def test_nothing_is_measured_when_the_package_does_not_accept_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "REPEATS", 1)
    monkeypatch.setattr(core.opentine.Run, "verify_integrity", lambda path: type("Bad", (), {"ok": False}))
    with pytest.raises(SystemExit, match="nothing was measured"):
        list(core.measure(5, tmp_path))


@pytest.mark.parametrize(
    ("row", "ratio", "met"),
    [
        (Row("p", "w", 2.0, reference=50.0, target=faster(20)), 25.0, True),
        (Row("p", "w", 2.0, reference=38.0, target=faster(20)), 19.0, False),
        (Row("p", "w", 12.0, reference=2.0, target=share(6)), 6.0, True),
        (Row("p", "w", 12.1, reference=2.0, target=share(6)), 6.05, False),
        (Row("p", "w", 100.0, target=at_most(100)), None, True),
        (Row("p", "w", 100.1, target=at_most(100)), None, False),
        (Row("p", "w", 1.0, target=faster(20)), None, None),
        (Row("p", "w", 1.0, reference=4.0), 4.0, None),
    ],
)
def test_a_target_is_judged_by_its_own_sense(row: Row, ratio: float | None, met: bool | None) -> None:
    assert row.ratio == (None if ratio is None else pytest.approx(ratio))
    assert row.met is met
    assert ("yes" in table([row]), "NO" in table([row])) == (met is True, met is False)


def test_chosen_parts_are_measured_written_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def good(_folder: Path) -> Iterator[Row]:
        yield Row("good", "a thing", 1.0, "s", 30.0, "the other", faster(20))

    def bad(_folder: Path) -> Iterator[Row]:
        yield Row("bad", "a thing", 3.0, "s", target=at_most(2))
        raise RuntimeError("no display")

    def never(_folder: Path) -> Iterator[Row]:
        raise AssertionError("this part was not asked for")

    monkeypatch.setenv("OPENTINE_COMPRESS", "0")  # so that what main() sets is taken back
    monkeypatch.setattr(benchmark, "PARTS", {"good": good, "bad": bad, "never": never})
    output = tmp_path / "deep" / "bench.json"
    assert benchmark.main(["good", "--output", str(output)]) == 0
    assert benchmark.main(["good", "bad", "--output", str(output)]) == 1
    rows = json.loads(output.read_text())["rows"]
    assert [(row["part"], row["met"]) for row in rows] == [("good", True), ("bad", False), ("bad", None)]
    assert "no display" in rows[2]["note"]
    assert "1 targets met, 1 missed" in capsys.readouterr().out


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        benchmark.main(["nonsense"])
    assert "there is no part 'nonsense'" in capsys.readouterr().err


def test_the_stages_of_a_layout_are_those_of_the_product() -> None:
    """The benchmark calls the stages one by one to time each: it must keep calling them as the layout does."""
    graph = FAMILIES["mixed"](60, 1)
    stages = stages_of(graph)
    assert {"extract", "model", "order", "compact", "geometry", "write back"} <= set(stages)
    layout = lay_out(LayoutRequest(graph, main=graph.graph["main"]))
    for place, node in enumerate(graph):
        assert graph.nodes[node]["pos"] == pytest.approx(tuple(layout.centers[place]))
