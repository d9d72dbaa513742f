"""What the window says of what was checked, where the run is an agent's own log."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.canvas import verifying
from opentine_gui.app.inspect.figures import step_figures
from opentine_gui.app.inspect.integrity import A_LOG, NOT_CHECKED, VERIFIED, WHY_A_LOG, seal, statements, verdict
from tests.app.conftest import Bench
from tests.conftest import run_of

FORKED = next((Path(__file__).parents[2] / "data/recordings/claude-code/2.1.197-a-plain").rglob("*.jsonl"))
SESSION = next((Path(__file__).parents[2] / "data/recordings/claude-code/2.1.197-b-parallel").rglob("*.jsonl"))


def test_a_log_has_nothing_to_check_against_until_it_is_saved(bench: Bench) -> None:
    path = bench.folder / "session.jsonl"
    path.write_bytes(SESSION.read_bytes())
    bench.open("session.jsonl")
    words, role, why = verdict(bench.active)
    assert (words, role) == (A_LOG, "quiet")
    assert statements(bench.active) == [(why, "text")]
    bench.do("run.verify")
    (said,) = bench.notices("info")
    assert said.endswith(why) and "changed, so" not in said, "nobody changed it here"
    first = bench.record.graph.step(0)
    assert seal(bench.active, first)[0] == A_LOG
    assert A_LOG not in [figure.value for figure in step_figures(bench.active, first)], "it is no news of a step"
    bench.prompter.answers.append((bench.folder / "session.tine",))
    bench.do("file.save")
    assert verdict(bench.active)[0] == VERIFIED


def test_two_logs_that_are_compared_have_nothing_to_check_against_either(bench: Bench) -> None:
    for name in ("one.jsonl", "two.jsonl"):
        (bench.folder / name).write_bytes(SESSION.read_bytes() if name == "one.jsonl" else FORKED.read_bytes())
        bench.open(name)
    bench.do("compare.open")
    assert bench.active.overlay is not None
    words, role, why = verdict(bench.active)
    assert (words, role) == (A_LOG, "quiet")
    assert statements(bench.active) == [(why, "text")]


def test_a_log_beside_a_sealed_file_is_not_called_verified_and_what_both_hold_is(bench: Bench) -> None:
    (bench.folder / "one.jsonl").write_bytes(SESSION.read_bytes())
    document = bench.open("one.jsonl")
    bench.prompter.answers.append((bench.folder / "one.tine",))
    bench.do("file.save")
    (bench.folder / "two.jsonl").write_bytes(FORKED.read_bytes())
    bench.open("two.jsonl")
    bench.do("compare.open")
    assert bench.active.overlay is not None
    words, role, why = verdict(bench.active)
    assert (words, role) == ("1 of 2 runs without a checksum", "quiet")
    assert WHY_A_LOG in why
    assert statements(bench.active)[0] == (f"{words}.", "quiet")
    family = bench.active.overlay.family
    said = {seal(bench.active, family.graph.step(place))[:2] for place in range(len(family.graph))}
    sealed = [run for run, record in enumerate(family.records) if record.source is not None]
    for place, holders in enumerate(family.holders):
        words = seal(bench.active, family.graph.step(place))[0]
        assert words == (VERIFIED if holders >> sealed[0] & 1 else A_LOG)
        shown = [figure.value for figure in step_figures(bench.active, family.graph.step(place))]
        assert (A_LOG in shown) is (words == A_LOG), "beside a file with one it is said"
    assert said == {(VERIFIED, "good"), (A_LOG, "quiet")}
    assert document.path is not None


def test_a_check_that_came_to_nothing_is_not_claimed_to_go_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object, **_options: object) -> None:
        raise MemoryError("no room for the table\x1b[31m")

    with monkeypatch.context() as patched:
        patched.setattr(verifying, "verify", broken)
        document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    words, _colour, hint = verdict(document)
    assert words == NOT_CHECKED
    assert "no room for the table" in hint
    assert "\x1b" not in hint
    assert seal(document, bench.record.graph.step(0))[0] == NOT_CHECKED
    bench.do("run.verify")
    assert verdict(document)[0] != NOT_CHECKED


def test_a_check_that_is_stopped_is_not_claimed_to_go_on(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    bench.jobs.hold = True
    document.requested_verification = document.verification = None
    bench.step()
    bench.session.invoke("job.cancel", key=document.key("verify"))
    bench.step()
    assert verdict(document)[0] == NOT_CHECKED
