"""JSON, figures and evidence: what exports say of runs, and what hostile text cannot make them say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import opentine
import pytest
from msgspec.structs import replace

from bench.generate import linear_run
from opentine_gui.core import RunRecord, RunStatus, compare, decode, encode, fork, fork_and_edit, verify
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.describe.comparison_words import figure_rows, verdict
from opentine_gui.describe.difference_lines import difference_lines
from opentine_gui.export import export, request_of
from tests.conftest import MakeRun, named
from tests.core.analysis.call_runs import Recording
from tests.export.hostile import hostile_run
from tests.scene.scenes import METRICS


def test_the_json_of_a_run_is_what_show_prints_with_each_record(
    research: RunRecord, capsys: pytest.CaptureFixture[str]
) -> None:
    from opentine_gui import cli

    data = json.loads(export(request_of([research]), "json"))
    path = Path(__file__).parents[2] / "assets" / "demo" / "research-01.tine"
    assert cli.main(["show", str(path), "--json"]) == 0
    (content,) = json.loads(capsys.readouterr().out)["results"]
    assert (content.pop("type"), content.pop("file")) == ("run", str(path))
    records = [step.pop("record") for step in data["steps"]]
    assert data == content
    stored = json.loads(path.read_text())["graph"]["steps"]
    assert records == [stored[identity] for identity in research.graph.ids]


@pytest.mark.parametrize(
    ("spelled", "other"),
    [
        (b'"duration":0.25', b'"duration":0.250'),
        (b'"kind":', b'"zeta":{"b":[1.50,{}],"a":"\\u0041\xc3\xa9, x: y"},"kind":'),
        (b'"kind":', b'"zeta":"\xc3\xa9\\/","kind":'),
    ],
)
def test_the_json_of_a_record_is_python_s_however_it_was_spelled(spelled: bytes, other: bytes) -> None:
    plain = encode(linear_run(3)).replace(b": ", b":")
    record = decode(plain.replace(spelled, other))
    text = export(request_of([record]), "json").decode()
    written = [line.partition(', "record": ')[2].rstrip(",")[:-1] for line in text.splitlines() if '"record"' in line]
    assert written == [json.dumps(msgspec.json.decode(record.graph.raws[position])) for position in range(3)]


def test_the_json_of_chosen_steps_holds_only_those(research: RunRecord) -> None:
    data = json.loads(export(request_of([research], steps=["2a55e61c"]), "json"))
    assert [step["id"][:8] for step in data["steps"]] == ["2a55e61c"]
    assert data["totals"]["steps"] == 27


def test_the_json_of_a_comparison_holds_both_runs_and_what_diff_prints(research: RunRecord, retry: RunRecord) -> None:
    data = json.loads(export(request_of([research, retry], compared=True), "json"))
    assert [run["run_id"] for run in data["runs"]] == [research.run_id, retry.run_id]
    assert len(data["comparison"]["only_a"]) == 19
    assert data["comparison"]["root_divergence"][0]["a"] == research.graph.resolve("2a55e61c")


def test_hostile_json_is_exact_and_plain_ascii() -> None:
    run = hostile_run()
    data = export(request_of([run]), "json")
    assert data.isascii()
    found = json.loads(data)
    assert [step["record"]["inputs"]["text"] for step in found["steps"]] == [step.inputs["text"] for step in run.graph]


def test_what_was_not_recorded_is_not_a_difference_of_zero(make_run: MakeRun) -> None:
    run, other = make_run({"a": "", "b": "a"}), make_run({"a": "", "c": "a"}, cost=0.0)
    rows = {row.label: row for row in figure_rows(compare(run, other))}
    assert (rows["Cost"].b, rows["Cost"].delta, rows["Cost"].better) == ("not recorded", "not known", None)
    assert (rows["Tokens"].a, rows["Tokens"].delta) == ("not recorded", "not known")
    assert rows["Sum of steps"].delta == "same"
    assert rows["Steps"].better is None


def test_a_verdict_on_runs_that_differ_in_cost_alone(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a"})
    assert verdict(compare(run, make_run({"a": "", "b": "a"}, cost=0.5))) == (
        "Both runs hold the same steps; 2 steps recorded otherwise."
    )


def test_no_export_says_of_an_agents_log_that_its_task_is_completed(make_run: MakeRun) -> None:
    log, other = (
        run.edited(metadata={**run.metadata, "capture": {"method": "transcript-import"}})
        for run in (make_run({"a": "", "b": "a"}), make_run({"a": "", "c": "a"}))
    )
    assert log.is_imported
    assert figure_rows(compare(log, other))[0][1:3] == ("turn ended", "turn ended")
    for form in ("markdown", "svg", "html"):
        for records, card in (([log], False), ([log, other], False), ([log, other], True)):
            request = request_of(records, compared=len(records) > 1, card=card and form != "html", metrics=METRICS)
            text = export(request, form).decode()
            assert "turn ended" in text
            assert "completed" not in text.replace('"status":"completed"', "")


def test_a_difference_that_cannot_be_seen_says_so(make_run: MakeRun) -> None:
    one, two = make_run({"a\u200b": ""}), make_run({"a": ""})
    lines = difference_lines(one.graph.step(0), two.graph.step(0), 3)
    assert [line.kind for line in lines] == ["path", "note"]


def test_chosen_steps_leave_as_a_run_the_package_verifies(research: RunRecord, tmp_path: Path) -> None:
    request = request_of([research], steps=["2a55e61c"], title="The page is gone", now=1.7e9, nonce="n")
    data = export(request, "tine")
    path = tmp_path / "evidence.tine"
    path.write_bytes(data)
    assert opentine.Run.verify_integrity(path).ok
    run = opentine.Run.load(path)
    assert run.metadata["forked_from"] == "research-01"
    assert run.metadata["title"] == "The page is gone"
    assert run.refs["main"] == research.graph.resolve("2a55e61c")
    assert verify(decode(data)).ok
    assert export(replace(request, nonce="m"), "tine") != data


def test_evidence_of_two_runs_names_both(research: RunRecord, retry: RunRecord) -> None:
    request = request_of([research, retry], steps=["2a55e61c", "f75f39bb"], now=1.7e9, nonce="n")
    taken = decode(export(request, "tine"))
    assert [source["run_id"] for source in taken.metadata["extract"]["sources"]] == [research.run_id, retry.run_id]
    assert len(taken.graph) == 10


def test_a_fork_of_a_step_and_its_evidence_hold_the_same_steps(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a", "c": "a", "m": "b c", "d": "m"})
    point = named(run, "m")
    taken = decode(export(request_of([run], steps=[point], now=1.0, nonce="n"), "tine"))
    assert taken.graph.ids == fork(run, point, now=1.0, nonce="n").graph.ids
    edited = fork_and_edit(run, point, inputs={"text": "e"}, now=1.0, nonce="n")
    assert compare(taken, edited).common_ancestors == (named(run, "b"), named(run, "c"))


def session() -> RunRecord:
    """A log of two steps an hour apart whose check fails, with counts that are lower bounds."""
    run = Recording()
    run.ask("mend it", timestamp=1_770_000_000.0)
    run.call("Bash", {"command": "uv run pytest"}, failed="E   assert 1 == 2", timestamp=1_770_003_600.0, duration=40.0)
    run.say("Done", timestamp=1_770_003_641.0, duration=9.0, usage={"input": 1_200})
    capture = {
        "method": "transcript-import",
        "source_format": "claude-code",
        "at_least": "Token counts are at least these.",
    }
    return run.record(run_id="log", metadata={"capture": capture}, status=RunStatus.COMPLETED)


def test_an_export_says_what_the_head_of_the_window_says() -> None:
    log = session()
    assert log.is_imported
    head = (
        "3 steps · 1 h 00 min, 1 min 21 s without pauses · not priced · ≥ 1.2k tok · turn ended · "
        "1 check failed the last time it ran: uv run pytest · 1 failure"
    )
    request = request_of([log])
    assert export(request, "markdown").decode().splitlines()[2] == head
    page = export(request, "html").decode()
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["heading"] == [head]
    assert data["reasons"] == ["assert 1 == 2"]
    drawn = " ".join(re.findall(r">([^<>]+)</text>", export(request, "svg").decode()))
    assert "≥ 1.2k tok" in drawn and "without pauses" in drawn and "uv run pytest" in drawn
    part = export(request_of([log], steps=[log.graph.ids[0]]), "markdown").decode()
    assert part.splitlines()[2].startswith("1 step of 3 · "), "a part has no clock of its own"
    assert "by the clock" not in part and "without pauses" not in part


def test_two_logs_are_compared_by_the_clock_and_their_bounds_are_said(make_run: MakeRun) -> None:
    log = session()
    quick = log.edited(
        run_id="again", metadata={"capture": {"method": "transcript-import", "source_format": "claude-code"}}
    )
    accounts = account_of(log), account_of(quick)
    rows = {row.label: row for row in figure_rows(compare(log, quick), accounts)}
    assert rows["Without pauses"].a == "1 min 21 s"
    assert (rows["Tokens"].a, rows["Tokens"].b, rows["Tokens"].delta) == ("≥ 1,200", "1,200", "≤ 0")
    assert {row.label: row for row in figure_rows(compare(log, quick))}["Sum of steps"].a == "checking…"
    own = make_run({"a": "", "b": "a"})
    mixed = figure_rows(compare(log, own), (account_of(log), account_of(own)))
    assert "Sum of steps" in {row.label for row in mixed}, (
        "of a run without a clock the steps are added up, on both sides"
    )
