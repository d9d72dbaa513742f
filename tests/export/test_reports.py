"""Reports in Markdown: what they say of runs, and what hostile text cannot make them say."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import RunRecord
from opentine_gui.describe.markdown import BREAK, code, escaped, fenced, quoted
from opentine_gui.export import report
from opentine_gui.export.step_text import LONGEST
from opentine_gui.scene.text.clean import clean_whole
from tests.core.analysis.call_runs import Recording
from tests.export.conftest import markdown
from tests.export.hostile import ATTACKS, hostile_run

MARKUP = re.compile(r"(?<!\\)[`*_\[\]|~#<>]")


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
