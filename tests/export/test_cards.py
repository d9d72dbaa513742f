"""The card of what changed between two runs: its facts, its colours, and the command that repeats it."""

from __future__ import annotations

import html
import re
import shlex

from msgspec.structs import replace

from opentine_gui.core import RunRecord
from opentine_gui.export import export, request_of
from opentine_gui.export.change_card.facts import changes_of
from opentine_gui.export.content import Content
from tests.conftest import MakeRun
from tests.core.run_shapes import rewritten
from tests.export.conftest import markdown
from tests.export.hostile import FILES, hostile_pair
from tests.scene.scenes import METRICS


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


def test_runs_and_prompts_that_begin_alike_are_told_apart_on_cards_and_in_the_head(make_run: MakeRun) -> None:
    asked = "Look at how a backup is made when there is one already and say what becomes of it, with a warning"
    run = make_run({"a": "", asked: "a"})
    other = rewritten(run, 1, lambda step: {"inputs": {"text": f"{asked} and the time"}})
    request = request_of([run, other], compared=True, names=(f"{asked} of A", f"{asked} of B"))
    content = Content(request)
    assert [run.name for run in content.runs] == ["…a warning of A", "…a warning of B"]
    titles = [content.face(number).title for number in range(len(content))]
    assert {"…with a warning", "…with a warning and the time"} <= set(titles)
    assert all(content.face(number).line.startswith("Look at") for number in range(1, 3))
    drawn = export(replace(request, card=True, metrics=METRICS), "svg").decode()
    said = [words.strip() for words in re.findall(r"<text [^>]*>([^<]*)</text>", drawn)]
    ends = [line for line in said if line.startswith("…") and "with a warning" in line]
    assert ends[-2].endswith("with a warning") and ends[-1].endswith("and the time"), "both lines of the difference"


def test_the_command_on_a_card_is_whole_however_long_the_paths_are(research: RunRecord, retry: RunRecord) -> None:
    def paths(length: int) -> list[str]:
        return [f"/home/somebody/{'a' * length}/{name} 01.tine" for name in ("one", "other")]

    def foot(length: int) -> list[str]:
        request = request_of([research, retry], compared=True, card=True, metrics=METRICS, files=tuple(paths(length)))
        drawn = html.unescape(export(request, "svg").decode())
        return re.findall(r"<text [^>]*>([^<]*)</text>", drawn.partition("To repeat")[2])

    assert foot(10) == ["opentine-gui diff '{}' '{}'".format(*paths(10))]
    first, second = foot(120)
    assert first.endswith("one 01.tine' \\"), "a shell goes on after it"
    assert shlex.split(first[:-1] + second)[2:] == paths(120)
    (said,) = foot(1000)
    assert "too long" in said and "…" not in said
