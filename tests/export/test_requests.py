"""What an export takes and refuses, and what holds for all formats."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.core import Cancelled, Graph, LookupFailure, RunRecord, StepKind, compare
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.progress import Pace
from opentine_gui.export import CARD_FORMATS, FORMATS, ExportError, ExportRequest, export, format_of, request_of
from opentine_gui.export.content import Content, Link
from opentine_gui.export.picture.drawing import MOST_STEPS, draw
from opentine_gui.layout import Ancestry, LayoutRequest, lay_out
from tests.conftest import MakeRun, named
from tests.core.sample_runs import make_record
from tests.export.hostile import FILES, NAMES, hostile_pair
from tests.scene.scenes import METRICS

CASES = [(form, card) for form in FORMATS for card in (False, True) if not card or form in CARD_FORMATS]


@pytest.mark.parametrize(("form", "card"), CASES)
def test_the_same_request_gives_the_same_bytes(form: str, card: bool, research: RunRecord, retry: RunRecord) -> None:
    ids = research.graph.ids[:4]
    made = [
        export(request_of([research, retry], compared=True, card=card, steps=None if card else ids), form)
        for _ in range(2)
    ]
    assert made[0] == made[1]
    assert made[0]


@pytest.mark.parametrize(("form", "card"), CASES)
def test_hostile_runs_go_through_every_format_as_text_alone(form: str, card: bool) -> None:
    pair = hostile_pair()
    request = request_of(pair, compared=True, card=card, names=NAMES, files=FILES, title="\ud800</title>\x1b[1m")
    if form == "tine":
        request = replace(request, steps=(pair[0].graph.ids[3],), title="plain")
    data = export(request, form)
    if form == "png":
        return
    text = data.decode("utf-8")
    if form == "tine":  # the run itself is data and stays exact: JSON escapes what steers a terminal
        assert json.loads(text)["graph"]["order"]
        return
    steering = "\x1b\x07\x00\x08\x7f\x9b\u202e\u2066\u200f\u200b\u2028\u2029\ufffe\uffff"
    assert not [char for char in steering if char in text]


def test_endings_name_formats_and_others_are_refused() -> None:
    endings = ("svg", "PNG", "html", "mmd", "gv", "dot", "graphml", "md", "json", "tine")
    formats = ("svg", "png", "html", "mermaid", "dot", "dot", "graphml", "markdown", "json", "tine")
    assert tuple(format_of(f"a.b/x.{ending}") for ending in endings) == formats
    for name in ("x", "x.exe", "svg", "x.svg.gz"):
        with pytest.raises(ExportError, match=r"none; there are \.svg"):
            format_of(name)


def test_what_cannot_be_exported_says_why(research: RunRecord, retry: RunRecord) -> None:
    def refused(request: ExportRequest, form: str) -> str:
        with pytest.raises(ExportError) as error:
            export(request, form)
        return str(error.value)

    single = request_of([research])
    assert "no run" in refused(ExportRequest(records=()), "svg")
    assert "no format" in refused(single, "gif")
    assert "no step" in refused(replace(single, steps=()), "svg")
    assert "no step" in refused(replace(single, steps=()), "json")
    assert "scale" in refused(replace(single, scale=0.0), "png")
    assert "scale" in refused(replace(single, scale=float("nan")), "svg")
    assert "of a comparison" in refused(replace(single, card=True), "svg")
    assert "not as html" in refused(request_of([research, retry], compared=True, card=True), "html")
    assert "name the steps" in refused(single, "tine")
    empty = RunRecord(run_id="empty", graph=Graph.empty())
    assert "no step" in refused(request_of([empty]), "html")
    with pytest.raises(ExportError, match="two runs, not of 1"):
        request_of([research], compared=True)


def test_steps_are_found_by_prefix_in_any_of_the_runs(research: RunRecord, retry: RunRecord) -> None:
    request = request_of([research, retry], steps=["2a55e61c", "f75f39bb", "2a55e61cfbd9"])
    assert request.steps == (
        research.graph.resolve("2a55e61c"),
        retry.graph.resolve("f75f39bb"),
    )
    with pytest.raises(LookupFailure, match="no step"):
        request_of([research, retry], steps=["zz"])
    with pytest.raises(LookupFailure, match="several"):
        request_of([research], steps=["f"])
    with pytest.raises(LookupFailure, match="different steps"):
        request_of([research, retry], steps=["main"])


def test_a_link_over_steps_that_are_left_out_leads_to_the_nearest_above(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a", "c": "b", "d": "a", "e": "c d", "f": "e"})
    chosen = tuple(named(run, name) for name in "aef")
    content = Content(ExportRequest(records=(run,), steps=chosen))
    assert content.links == [Link(0, 1, through=True), Link(1, 2)]
    every = Content(ExportRequest(records=(run,)))
    assert [(link.source, link.target) for link in every.links] == [(0, 1), (1, 2), (0, 3), (2, 4), (3, 4), (4, 5)]


def test_a_layout_that_is_given_is_kept(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a", "c": "a"})
    pins = {run.graph.ids[2]: (2000.0, 700.0)}
    layout = lay_out(LayoutRequest(Ancestry(run.graph.ids, run.graph.parents), pinned=pins))
    request = ExportRequest(records=(run,), layout=layout, metrics=METRICS)
    boxes = [step.box for step in draw(Content(request), heading=False).steps]
    for one, two in zip(range(3), (1, 2, 0), strict=True):
        apart = tuple(boxes[two][axis] - boxes[one][axis] for axis in (0, 1))
        wanted = layout.centers[two] - layout.centers[one]
        assert apart == pytest.approx(tuple(wanted.tolist()), abs=1)
    own = draw(Content(replace(request, layout=None)), heading=False)
    assert own.width < 1000


def test_a_run_too_large_for_a_picture_is_refused_with_the_way_out(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opentine_gui.export.picture.drawing.MOST_STEPS", 5)
    run = make_run({str(number): str(number - 1) if number else "" for number in range(6)})
    for form in ("svg", "png", "html"):
        with pytest.raises(ExportError, match="6 steps are more than a picture can hold"):
            export(ExportRequest(records=(run,)), form)
        assert export(ExportRequest(records=(run,), steps=run.graph.ids[:5]), form)
    assert MOST_STEPS > 5


def test_a_comparison_made_elsewhere_is_used_as_it_is(research: RunRecord, retry: RunRecord) -> None:
    made = compare(research, retry)
    given = ExportRequest(records=(research, retry), comparison=made, names=("x", "y"))
    asked = request_of([research, retry], compared=True, names=("x", "y"))
    assert export(given, "markdown") == export(asked, "markdown")


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "tine"])
def test_every_format_tells_how_far_it_is_and_can_be_stopped(form: str, research: RunRecord, retry: RunRecord) -> None:
    request = request_of([research, retry], compared=True)
    fractions: list[float] = []
    whole = export(request, form, progress=fractions.append, cancelled=lambda: False)
    assert whole == export(request, form)
    assert fractions == sorted(fractions)
    assert 0.0 <= fractions[0] <= fractions[-1] <= 1.0
    asked: list[None] = []

    def stop() -> bool:
        asked.append(None)
        return len(asked) == len(fractions)

    with pytest.raises(Cancelled):
        export(request, form, progress=lambda _fraction: None, cancelled=stop)


@pytest.mark.parametrize(("priced", "figures"), [(False, "2.9 s  32.3k tok"), (True, "2.9 s  not priced  32.3k tok")])
def test_a_card_has_the_figures_that_it_has_in_the_window(priced: bool, figures: str) -> None:
    usage: dict[str, Any] = {"usage": {"input": 32_300}, "duration": 2.9, "timestamp": 1.0}
    first = new_step(StepKind.MODEL, {}, [], outputs={"text": "a"}, **usage)
    second = new_step(StepKind.MODEL, {}, [first.id], outputs={"text": "b"}, cost=0.5 if priced else 0.0, **usage)
    record = make_record([first, second])
    content = Content(request_of([record]), Pace())
    assert content.face(0).figures == figures
    shown = CardFaces(record, None)
    assert [shown.face(card).figures for card in (0, 1)] == [content.face(card).figures for card in (0, 1)]
