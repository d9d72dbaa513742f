"""The time strip with a real mouse: an area dragged over it gives sums and lights steps, the wheel zooms it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from bench.generate import agent_run
from opentine_gui.core import StepKind, write
from opentine_gui.ui.panels.outline import Outline
from opentine_gui.ui.panels.time_strip.marks import group_spans
from opentine_gui.ui.panels.time_strip.panel import NO_TIMES, ONE_TIME, ZOOMED, TimelinePanel
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import DEMO, Opened
from tests.ui.real_input import BUTTONS, send


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    run = Recording()
    for number in range(70):
        gap = 4_000.0 * (number // 35)
        run.call("Bash", {"command": f"ls {number}"}, "x", timestamp=1.77e9 + 10 * number + gap, duration=8.0)
    write(tmp_path / "long.tine", run.record())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


def test_an_area_is_dragged_summed_and_cleared_and_the_wheel_zooms(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    assert "1 h 06 min" in opened.drawn(panel.sheet.node)
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    low = top + panel.sheet.height - 20
    opened.mouse.drag((left + 40, low), (left + 240, low))
    opened.until(lambda: document.strip.area is not None, "the area")
    opened.rest()
    steps = sum(document.strip.lit)
    assert 3 < steps < 35
    assert f"{steps} steps" in opened.drawn(panel._marks)
    opened.mouse.wheel(3, (left + 140, low))
    opened.until(lambda: document.strip.view != (0.0, 1.0), "the zoom")
    opened.keyboard.press("Escape")
    opened.until(lambda: document.strip.area is None, "no area")


def test_a_zoomed_strip_says_so_shows_where_the_selection_is_and_leads_back(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel) and document.record is not None
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    assert ZOOMED not in opened.drawn(panel.sheet.node)
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    at = panel._places(panel.line)
    opened.mouse.wheel(8, (left + at.left + 10, top + at.top + 4))
    opened.until(lambda: document.strip.view[1] < 0.5, "the zoom")
    opened.session.invoke("select.step", step=document.record.graph.ids[-1])
    opened.rest()
    assert ZOOMED in opened.drawn(panel.sheet.node)
    marks = [dpg.get_item_type(item) for item in dpg.get_item_children(panel._marks, 2) or ()]
    assert "mvAppItemType::mvDrawTriangle" in marks, "the last step lies beyond the right end"
    opened.mouse.click(left + 20, top + at.words)
    opened.until(lambda: document.strip.view == (0.0, 1.0), "the whole time")


def test_a_drag_that_begins_on_a_bar_marks_an_area_and_a_click_selects(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    (left, top), selected = dpg.get_item_rect_min(panel.sheet.drawlist), document.selection
    at, bar = panel._places(panel.line), max(panel.bars, key=lambda bar: bar.x1 - bar.x0)
    x, y = left + at.left + (bar.x0 + bar.x1) / 2, top + at.top + (bar.row + 0.4) * at.pitch
    opened.mouse.drag((x, y), (x + 150, y))
    opened.until(lambda: document.strip.area is not None, "the area")
    opened.rest()
    assert document.selection is selected
    assert document.strip.lit[bar.step], "the step whose bar the area begins on is in it"
    opened.keyboard.press("Escape")
    opened.mouse.click(x, y)
    opened.until(lambda: document.selection.primary == document.record.graph.ids[bar.step], "its step is selected")


def test_a_double_click_in_an_area_fills_the_strip_and_a_click_beside_it_clears_it(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    low, begin = top + panel.sheet.height - 20, left + panel._places(panel.line).left
    opened.mouse.drag((begin + 100, low), (begin + 300, low))
    opened.until(lambda: document.strip.area is not None, "the area")
    opened.mouse.double_click(begin + 200, low)
    opened.until(lambda: document.strip.view != (0.0, 1.0), "the strip filled with it")
    area, line = document.strip.area, panel.line
    assert area is not None and line is not None
    assert [float(line.place_of(seconds)) for seconds in area] == pytest.approx([0.0, 1.0], abs=0.02)
    opened.session.invoke("time.zoom", factor=0.5, about=0.5)
    opened.rest()
    opened.mouse.click(begin + 5, low)
    opened.until(lambda: document.strip.area is None, "no area")


def test_a_press_in_the_frame_in_which_the_pointer_arrives_is_answered(opened: Opened) -> None:
    opened.open(opened.session.working_folder / "long.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    opened.mouse.move(*opened.free_point())
    opened.frame()
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    place = (str(round(left + 140)), str(round(top + panel.sheet.height - 20)))
    send("mousemove", "--window", opened.mouse.window, *place, "click", BUTTONS["right"])
    opened.until(lambda: opened.session.context_menu is not None, "its menu")


def test_a_bar_that_is_listed_is_the_one_a_press_in_its_middle_reaches(opened: Opened, tmp_path: Path) -> None:
    write(tmp_path / "dense.tine", agent_run(3_000, run_id="dense"))
    document = opened.open(tmp_path / "dense.tine")
    assert document.record is not None
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    bars = [control for control in opened.window.controls() if control.kind == "bar"]
    assert len(bars) > 20
    for bar in bars[:: len(bars) // 10]:
        opened.mouse.click(*bar.middle)
        opened.until(lambda: document.selection.primary is not None, "a step selected")
        assert document.record.graph.index(document.selection.primary or "") == int(bar.name.removeprefix("bar "))
        opened.session.invoke("select.none")
        opened.rest()


def test_the_tooltip_of_a_bar_says_why_its_step_failed(opened: Opened) -> None:
    document = opened.open(DEMO / "research-01.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel) and document.record is not None
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    failed = document.record.graph.failed
    bars = {int(one.name.removeprefix("bar ")): one for one in opened.window.controls() if one.kind == "bar"}
    for position in (failed.index(1), failed.index(0, 5)):
        opened.mouse.move(*bars[position].middle)
        opened.until(lambda: panel.sheet.tooltip.shown, "the tooltip")
        opened.rest()
        assert ("failed: 404 Not Found" in panel.sheet.tooltip.shown) is bool(failed[position])


def test_a_group_of_the_canvas_lights_its_span_and_a_brushed_area_lights_its_groups(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "long.tine")
    panel, canvas = opened.window.panels["timeline"], opened.window.canvas
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and document.picture.fold is not None, "the strip of a folded run")
    opened.rest()
    fold, record, line = document.picture.fold, document.record, panel.line
    assert fold is not None and record is not None and line is not None
    group = next(number for number in range(len(fold)) if fold.is_group(number))
    steps = fold.all_steps(group)
    opened.mouse.click(*opened.point(record.graph.ids[steps[0]]))
    opened.until(lambda: document.selected_group == group, "the group selected")
    opened.rest()
    outline = opened.window.panels["outline"]
    assert isinstance(outline, Outline)
    for position in (steps[0], steps[-1]):  # and in the outline its steps stand out
        assert outline._row(position).background is not None
    beside = next(step for step in range(len(record.graph)) if step not in steps)
    assert outline._row(beside).background is None
    wide = panel._places(line).width
    spans = group_spans(document, record, line, wide)
    assert spans
    for step in steps:
        x = float(line.starts[line.steps == step][0]) * wide
        assert any(first - 1 <= x <= last + 1 for first, last in spans)
    covered = sum(last - first for first, last in spans)
    assert covered < 1.6 * wide * len(steps) / len(line)  # and not what lies beside them
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    low, at = top + panel.sheet.height - 20, panel._places(line)
    first, last = at.left + spans[0][0], at.left + spans[-1][1]
    opened.mouse.drag((left + first - 2, low), (left + last + 6, low))
    opened.until(lambda: document.strip.area is not None, "the area")
    opened.rest()
    lit = canvas.colours.lit(document)
    assert lit is not None and lit[group]
    assert 0 < lit.sum() < len(fold)
    opened.session.invoke("time.select")
    opened.until(lambda: {record.graph.ids[step] for step in steps} <= set(document.selection), "its steps selected")


def test_rows_are_named_and_no_words_below_the_strip_overlap(opened: Opened, tmp_path: Path) -> None:
    run = Recording()
    run.ask("Look around", timestamp=1.77e9)
    asked = run.say("I send two", timestamp=1.77e9 + 5, duration=5.0)
    ends = []
    for number in range(2):
        run.add(StepKind.MODEL, {"text": f"Explore {number}"}, after=[asked], v3_kind="subagent", timestamp=1.77e9 + 6)
        for step in range(20):
            at = 1.77e9 + 10 + 30 * step + (700 if step > 9 else 0)
            run.call("Read", {"file_path": f"/w/{number}{step}.py"}, "x", timestamp=at, duration=9.0)
        ends.append(run.last[0])
    run.say("Done", after=[asked, *ends], timestamp=1.77e9 + 3_000, duration=5.0)
    write(tmp_path / "agents.tine", run.record())
    opened.open(tmp_path / "agents.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: panel.line is not None and panel.pane.shown, "the strip")
    opened.rest()
    words = opened.drawn(panel.sheet.node)
    for name in ("main agent", "Explore 0", "Explore 1", "find", "change", "check", "pause"):
        assert name in words
    line = panel.line
    assert line is not None
    at, (left, top) = panel._places(line), dpg.get_item_rect_min(panel.sheet.drawlist)
    opened.mouse.click(left + 30, top + at.top + (line.agent_row + 1.5) * at.pitch)
    opened.until(lambda: opened.document.selection.primary is not None, "the sub-agent whose name was pressed")
    primary, record = opened.document.selection.primary, opened.document.record
    assert record is not None and primary is not None
    assert record.graph.v3_kinds.get(record.graph.index(primary)) == "subagent"
    below = [
        (x, x + panel.style.width(text, "text", size))
        for text, x, y, size in texts_of(panel.sheet.node)
        if y > panel._places(line).words - 2 * size
    ]
    assert len(below) > 2
    for (_, end), (start, _) in itertools.pairwise(sorted(below)):
        assert start >= end


def test_runs_shown_together_have_a_curve_each_a_key_and_a_tooltip(opened: Opened, tmp_path: Path) -> None:
    for name in ("first", "second"):
        run = Recording()
        run.ask("Begin")
        for number in range(14):
            said = f"{name} {number}" if number >= 7 else f"{number}"
            wait = 300.0 if name == "second" and number >= 7 else 0.0
            usage = {"input": 1_000 * (number + 1), "cache_read": 500 * number}
            run.say(said, usage=usage, timestamp=1.77e9 + wait + 20 * number, duration=9.0)
        write(tmp_path / f"{name}.tine", run.record(run_id=name))
        opened.open(tmp_path / f"{name}.tine")
    opened.session.invoke("family.open")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel)
    opened.until(lambda: opened.document.overlay is not None and panel.curves.drawn is not None, "the curves")
    opened.rest()
    drawn, line = panel.curves.drawn, panel.line
    assert drawn is not None
    assert line is not None
    assert len(drawn.columns) == 2
    at = panel._places(line)
    left, top = dpg.get_item_rect_min(panel.sheet.drawlist)
    for name, columns in zip(("first", "second"), drawn.columns, strict=True):
        x, right, step = columns[-2]
        opened.mouse.move(left + at.left + (x + right) / 2, top + at.top + at.rows + at.curve / 2)
        opened.until(lambda name=name: f"only in {name}" in panel.sheet.tooltip.shown, f"whose curve it is: {name}")
        opened.mouse.click(left + at.left + (x + right) / 2, top + at.top + at.rows + at.curve / 2)
        wanted = opened.document.shown_overlay.family.graph.ids[step]
        opened.until(lambda wanted=wanted: opened.document.selection.primary == wanted, "the request")


def texts_of(node: int) -> list[tuple[str, float, float, float]]:
    """(text, x, y, size) of all text drawn below a node."""
    found = []
    for child in dpg.get_item_children(node, 2) or ():
        shown = dpg.get_item_configuration(child)
        if isinstance(shown.get("text"), str):
            found.append((shown["text"], shown["pos"][0], shown["pos"][1], shown["size"]))
        found += texts_of(child)
    return found


def test_a_mark_of_the_picked_file_says_what_its_step_did_and_a_click_selects_it(opened: Opened) -> None:
    run = Recording()
    for number in range(70):
        run.call("Bash", {"command": f"ls {number}"}, "x", timestamp=1.77e9 + 10 * number, duration=8.0)
        if number == 30:
            run.call("Read", {"file_path": "/w/plan.md"}, "1\tone", timestamp=1.77e9 + 10 * number + 9, duration=0.5)
        if number == 50:
            wrote = {"file_path": "/w/plan.md", "content": "two"}
            run.call("Write", wrote, "ok", timestamp=1.77e9 + 10 * number + 9, duration=0.5)
    write(opened.session.working_folder / "plan.tine", run.record())
    document = opened.open(opened.session.working_folder / "plan.tine")
    panel = opened.window.panels["timeline"]
    assert isinstance(panel, TimelinePanel) and document.record is not None
    opened.session.invoke("files.pick", path="/w/plan.md")
    opened.until(lambda: len(panel.file_marks) == 2, "the marks of the file")
    opened.rest()
    assert panel.line is not None
    at, (left, top) = panel._places(panel.line), dpg.get_item_rect_min(panel.sheet.drawlist)
    read, edit = panel.file_marks
    assert (read.how, edit.how) == ("read", "edit")
    for mark, says in ((edit, "changes plan.md"), (read, "reads plan.md")):
        opened.mouse.move(left + at.left + mark.x + 3, top + at.marks)
        words = f"Step {mark.step + 1} {says}"
        opened.until(lambda words=words: panel.sheet.tooltip.shown.startswith(words), words)
        assert opened.window.pointer.shape == "hand"
        opened.mouse.click(left + at.left + mark.x + 3, top + at.marks)
        wanted = document.record.graph.ids[mark.step]
        opened.until(lambda wanted=wanted: document.selection.primary == wanted, "the step of the mark")
    middle = (read.x + edit.x) / 2
    opened.mouse.move(left + at.left + middle, top + at.marks)
    opened.until(lambda: opened.window.pointer.shape == "arrow", "nothing between two marks")
    opened.mouse.click(left + at.left + middle, top + at.marks)
    opened.rest()
    assert document.selection.primary == document.record.graph.ids[read.step]


@pytest.mark.parametrize(("time", "words"), [(1.77e9, ONE_TIME), (0.0, NO_TIMES)])
def test_a_run_whose_steps_have_one_time_is_not_said_to_have_none(
    opened: Opened, tmp_path: Path, time: float, words: str
) -> None:
    run = Recording()
    for number in range(5):
        run.call("Bash", {"command": f"ls {number}"}, "x", timestamp=time)
    write(tmp_path / "at-once.tine", run.record())
    opened.open(tmp_path / "at-once.tine")
    strip = opened.window.panels["timeline"]
    assert isinstance(strip, TimelinePanel)
    opened.until(lambda: words in opened.drawn(strip.sheet.window), "why there is no strip")


def test_why_there_is_no_strip_is_said_of_the_run_in_front(opened: Opened, tmp_path: Path) -> None:
    """Two runs one after the other: the words of the first do not stay."""
    strip = opened.window.panels["timeline"]
    assert isinstance(strip, TimelinePanel)
    for name, time, words in (("none", 0.0, NO_TIMES), ("one", 1.77e9, ONE_TIME), ("none", 0.0, NO_TIMES)):
        run = Recording()
        for number in range(5):
            run.call("Bash", {"command": f"ls {number}"}, "x", timestamp=time)
        opened.open(write(tmp_path / f"{name}.tine", run.record(run_id=name)))
        opened.until(lambda words=words: words in opened.drawn(strip.sheet.window), words)
