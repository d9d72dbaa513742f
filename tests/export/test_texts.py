"""Markdown, JSON, the card's facts and evidence: what they say of runs, and what hostile text cannot make them say."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import msgspec
import opentine
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from bench.generate import linear_run
from opentine_gui.core import RunRecord, RunStatus, compare, decode, encode, fork, fork_and_edit, verify
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.describe.comparison_words import figure_rows, verdict
from opentine_gui.describe.difference_lines import difference_lines
from opentine_gui.describe.markdown import BREAK, code, escaped, fenced, quoted
from opentine_gui.export import export, report, request_of
from opentine_gui.export.change_card.facts import changes_of
from opentine_gui.export.content import Content
from opentine_gui.export.step_text import LONGEST
from opentine_gui.scene.text.clean import clean_whole
from tests.conftest import MakeRun, named
from tests.core.analysis.call_runs import Recording
from tests.core.run_shapes import rewritten
from tests.export.conftest import NAMES
from tests.export.hostile import ATTACKS, FILES, hostile_pair, hostile_run
from tests.scene.scenes import METRICS

MARKUP = re.compile(r"(?<!\\)[`*_\[\]|~#<>]")


def markdown(*records: RunRecord, **options: object) -> str:
    compared = len(records) == 2
    return export(request_of(records, compared=compared, names=NAMES, **options), "markdown").decode()


# -- reports --------------------------------------------------------------------------------------------------------


def test_a_report_tells_the_outcome_the_failures_and_every_step(research: RunRecord) -> None:
    text = markdown(research)
    assert text.startswith("# Where do two RLHF papers disagree?\n")
    assert "- Outcome: failed" in text
    assert text.index("## 9 failures") < text.index("## 27 steps")
    for identity in research.graph.ids:
        assert f"`{identity[:12]}`" in text
    assert "not priced)" in text


def test_a_report_of_a_fork_says_where_it_comes_from_and_what_it_took_over(retry: RunRecord) -> None:
    text = markdown(retry)
    assert "- Comes from: run `research-01` after `d094bf04793c`" in text
    assert "- Taken over: 8 steps" in text
    assert "- Added: 5 steps" in text


def test_a_report_of_a_fork_whose_metrics_were_reset_counts_from_the_fork(retry: RunRecord) -> None:
    reset = retry.edited(metadata={**retry.metadata, "inherited": {"steps": 8}})
    text = markdown(reset)
    assert text.splitlines()[2].startswith("5 steps since the fork · ")
    assert "- The whole run: 13 steps · " in text
    assert "since the fork" not in markdown(retry)


def test_a_report_of_a_comparison_says_where_the_runs_part_and_what_differs(
    research: RunRecord, retry: RunRecord
) -> None:
    text = markdown(research, retry)
    assert "After “Note what paper\\_a claims”, the two runs do different work." in text
    assert "| Cost | ≥ $0.1103 | $0.0830 | ≤ −$0.0273 |" in text
    assert "Steps: 8 in both runs, 19 only in A, 5 only in B." in text
    assert "+ Use the PDF mirror instead. The page is gone; summarise section 4 only." in text
    assert research.graph.resolve("2a55e61c") in text


def outside_fences(lines: list[str]) -> list[str]:
    """The lines that stand in no block of code, as CommonMark reads them: a fence ends at one as long, and alone."""
    found: list[str] = []
    fence = ""
    for line in lines:
        ticks = re.match("`{3,}", line)
        if fence:
            fence = (
                "" if ticks is not None and len(ticks[0]) >= len(fence) and not line[len(ticks[0]) :].strip() else fence
            )
        elif ticks is not None and "`" not in line[len(ticks[0]) :]:
            fence = ticks[0]
        else:
            found.append(line)
    assert not fence, "a block is not closed"
    return found


TICKS = (
    "# not ours\n```\n## nor this\n`````\n> quote\n~~~\n===\n---\n1. one\n- two\n| a | b |\n|---|---|\n"
    "<b>x</b>\n[l](http://e)"
)


def test_a_report_tells_every_step_and_recorded_text_stays_what_it_is() -> None:
    run = Recording()
    run.ask(f"Please fix it.\n{TICKS}")
    run.call("Bash", {"command": f"make\n{TICKS}"}, f"made\n{TICKS}")
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "x = 1\n```", "new_string": f"x = 2\n{TICKS}"}, "ok")
    run.call("Write", {"file_path": "/w/b.py", "content": "def b():\n    return 1\n"}, "ok")
    run.call("Bash", {"command": "make test"}, failed=f"Exit code 2\nFAILED test_b\n{TICKS}")
    run.say(f"It is done, see below.\n{TICKS}")
    text = markdown(run.record())
    lines = text.split("\n")
    outside = outside_fences(lines)
    told = [line for line in outside if line.startswith("### ")]
    assert [line.split(" · ")[0] for line in told] == [
        "### 1. Human", "### 2. Tool", "### 3. Tool", "### 4. Tool", "### 5. Tool", "### 6. Model",
    ]  # fmt: skip
    assert told[4].endswith("**failed**")
    assert [line for line in outside if line.startswith("#") and line not in told][1:] == [
        "## 1 failure", "## 6 steps", "## Step by step",
    ]  # fmt: skip
    assert any(line.startswith("**Failed:** ") and line.endswith("FAILED test\\_b") for line in outside)
    for language, said in (("bash", "make test"), ("diff", "-x = 1"), ("diff", "+x = 2"), ("python", "def b():")):
        begin = max(place for place, line in enumerate(lines[: lines.index(said)]) if line.startswith("```"))
        assert re.fullmatch(f"`+{language}", lines[begin]), said
    quotes = [line for line in outside if line.startswith(">")]
    assert "> Please fix it.\\" in quotes
    for quote in quotes:
        bare = re.sub(r"\\.", "", quote[2:]).replace("&lt;", "").replace("&gt;", "").replace("&amp;", "")
        assert not MARKUP.search(bare.removesuffix("\\")), quote
        assert not re.match(r"\s*(?:[-+=#>]|\d+[.)])", quote[2:]), quote


@given(st.text(alphabet="`~#>-=+1.)|<[ \\\n\tab$&", max_size=80))
def test_whatever_is_quoted_begins_nothing_and_reads_as_before(text: str) -> None:
    for line in quoted(text):
        assert line == ">" or line.startswith("> ")
        said = line[2:]
        assert not re.match(r"\s*(?:[-+=#>|`~<]|\d+[.)])", said), line
        assert not set(re.sub(r"\\.", "", said)) & set("`*_[]|~#<$"), line
    read = [unescape(re.sub(r"\\(.)", r"\1", line[2:].removesuffix(BREAK))) for line in quoted(text)]
    kept = [line.expandtabs(4).rstrip() for line in clean_whole(text, lines=True).split("\n")]
    assert [line.replace("\xa0", " ") for line in read] == kept


def test_a_long_text_is_cut_and_the_report_says_by_how_much() -> None:
    run = Recording()
    run.ask("Print it")
    run.call("Bash", {"command": "cat it"}, "w" * (LONGEST + 1234))
    assert "*1,234 more characters: the JSON export has them all.*" in markdown(run.record())


def test_of_two_runs_what_is_not_in_both_is_told(research: RunRecord, retry: RunRecord) -> None:
    text = markdown(research, retry)
    told = [line for line in outside_fences(text.split("\n")) if line.startswith("### ")]
    assert "## What is not in both runs" in text
    assert len(told) == 24, "19 only in A, 5 only in B"


@pytest.mark.parametrize(("name", "most", "shown"), [("MOST_ROWS", 10, 10), ("MOST_TOLD", 0, 1), ("MOST_ROWS", 23, 23)])
def test_steps_that_are_left_out_are_counted_and_those_that_both_runs_have_are_not_among_them(
    name: str, most: int, shown: int, research: RunRecord, retry: RunRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, name, most)
    for records, wanted in (((research, retry), 24), ((research,), 27)):
        text = markdown(*records)
        assert len([line for line in outside_fences(text.split("\n")) if line.startswith("### ")]) == shown
        left = wanted - shown
        said = f"{left} more steps are" if left > 1 else "1 more step is"
        assert text.endswith(f"*{said} not shown in full; the JSON export has them all.*\n")


def test_no_recorded_text_is_markup_in_a_report() -> None:
    text = markdown(hostile_run())
    lines = text.split("\n")
    outside = outside_fences(lines)
    headings = [line for line in outside if line.startswith("#")][1:]
    assert headings[:3] == ["## 4 failures", f"## {len(ATTACKS)} steps", "## Step by step"]
    assert [int(line.split()[1].rstrip(".")) for line in headings[3:]] == list(range(1, len(ATTACKS) + 1))
    assert all(line.startswith("### ") for line in headings[3:])
    rows = [line for line in lines if re.match(r"\| \d+ \|", line)]
    assert len(rows) == len(ATTACKS)
    for row in rows:
        cells = re.split(r"(?<!\\)\|", row)
        assert len(cells) == 8
        bare = re.sub(r"\*\*((?:[^*\\]|\\.)*)\*\*", r"\1", cells[4])  # what the report itself makes bold
        assert not MARKUP.search(bare.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "")), row
    without_code = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", re.sub(r"\\.", "", "\n".join(outside)))
    assert not set(without_code) & set("<`")


@pytest.mark.parametrize("text", ["`", "``", "a`b``c", "```", "x", "\ud800", "a\nb"])
def test_code_cannot_be_ended_from_within(text: str) -> None:
    fence = re.match("`+", code(text))
    assert fence is not None
    inside = code(text)[len(fence[0]) : -len(fence[0])]
    assert fence[0] not in re.findall("`+", inside)
    block = fenced([text, "```", "````x"], "sh")
    assert not [line for line in block[1:-1] if line.startswith(block[-1])]


def test_escaped_text_reads_as_before() -> None:
    assert escaped("a_b *c* <d> [e](f) | `g` # h ~ \\") == (r"a\_b \*c\* &lt;d&gt; \[e\](f) \| \`g\` \# h \~ " + "\\\\")


# -- data -----------------------------------------------------------------------------------------------------------


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


# -- the card -------------------------------------------------------------------------------------------------------


def test_a_card_says_where_how_and_with_what_outcome_the_runs_part(research: RunRecord, retry: RunRecord) -> None:
    text = markdown(research, retry, card=True, files=("research-01.tine", "my run.tine"))
    for words in (
        "After “Note what paper\\_a claims”, the two runs do different work.",
        "8 steps are the same in both runs",
        "| B, after | Use the PDF mirror instead |",
        '- {"url": "https://papers.example.org/abs/2404-117"}',
        "| Tokens | 40,407 | 21,167 | −19,240 |",
        "- A: **failed**, Gave up on paper\\_b",
        "- B: **completed**, Both papers agree",
        f"- fork point: `{research.graph.resolve('d094bf04')}`",
        "opentine-gui diff research-01.tine 'my run.tine'",
    ):
        assert words in text


def test_a_card_of_an_edited_step_shows_the_words_before_and_after(make_run: MakeRun) -> None:
    run = make_run({"a": "", "Ask for three papers": "a", "c": "Ask for three papers"})
    other = rewritten(run, 1, lambda step: {"inputs": {"text": "Ask for five papers"}})
    request = request_of([run, other], compared=True)
    assert request.comparison is not None
    changes = changes_of(request.comparison, Content(request))
    assert changes.sentence == "After “a”, a step was changed."
    assert (changes.before, changes.after) == ("Ask for three papers", "Ask for five papers")
    assert [(line.kind, line.text) for line in changes.difference] == [
        ("path", "inputs.text"),
        ("removed", "Ask for three papers"),
        ("added", "Ask for five papers"),
    ]
    removed = changes.difference[1]
    assert [removed.text[first:last] for first, last in removed.marks] == ["three"]


def test_a_card_speaks_of_the_divergence_it_shows(make_run: MakeRun) -> None:
    run = make_run({"a": "", "news": "a", "b": "a", "c": "b"})
    other = make_run({"a": "", "b": "a", "d": "b"})
    request = request_of([run, other], compared=True)
    assert request.comparison is not None
    assert request.comparison.root_divergences[0].b is None
    changes = changes_of(request.comparison, Content(request))
    assert (changes.before, changes.after) == ("c", "d")
    assert changes.sentence == ("After “b”, a step was changed. They diverge in 1 other place too.")


def test_a_card_of_equal_runs_and_of_runs_that_share_nothing_can_be_drawn(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a"})
    same = request_of([run, replace_id(run)], compared=True, card=True)
    assert b"hold the same steps" in export(same, "svg")
    apart = request_of([run, make_run({"z": "", "y": "z"})], compared=True, card=True)
    assert "The runs have nothing in common: no step is in both." in export(apart, "svg").decode()
    longer = make_run({"a": "", "b": "a", "c": "b"})
    one_sided = export(request_of([run, longer], compared=True, card=True), "svg").decode()
    assert "A does nothing here" in one_sided


def replace_id(run: RunRecord) -> RunRecord:
    return run.edited(run_id="again")


def test_no_name_of_a_figure_on_a_card_reaches_into_the_figures(research: RunRecord, retry: RunRecord) -> None:
    drawn = export(request_of([research, retry], compared=True, card=True, metrics=METRICS), "svg").decode()
    at = {said: float(x) for x, said in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>', drawn)}
    assert at["Sum of steps"] + METRICS.width("Sum of steps", "text", 16.0) < at["32 s"]


def test_how_the_runs_ended_has_its_colour_on_a_card(research: RunRecord, retry: RunRecord) -> None:
    drawn = export(request_of([research, retry], compared=True, card=True, metrics=METRICS), "svg").decode()
    colors = {(said, color) for color, said in re.findall(r'<text [^>]*fill="(#\w+)"[^>]*>([^<]*)</text>', drawn)}
    shown = {said.strip(): {color for words, color in colors if words.strip() == said.strip()} for said, _ in colors}
    assert len(shown["failed"]) == 1, "above and in the table alike"
    assert shown["failed"] != shown["completed"]
    assert shown["completed"] == shown["−19,240"], "what is good"


def test_the_command_on_a_card_is_safe_to_paste() -> None:
    pair = hostile_pair()
    text = export(request_of(pair, compared=True, card=True, files=FILES), "markdown").decode()
    assert "opentine-gui diff '$(hacked).tine' 'b '\"'\"'\ufffd.tine'" in text
    unknown = export(request_of(pair, compared=True, card=True), "markdown").decode()
    assert "To repeat" not in unknown


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


# -- evidence -------------------------------------------------------------------------------------------------------


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
