"""Comparing the demo runs with a real mouse: step through differences, flip, highlight and switch off runs."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.comparison.comparison_view import figure_rows, subject_of
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.outcome import accounts_of
from opentine_gui.core.files import storage
from opentine_gui.ui.panels.several_runs.comparison import SAYS_LEAST
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import Sheet
from tests.export.conftest import answered_twice
from tests.ui.opened import Opened

DEMO = Path(__file__).parents[3] / "assets" / "demo"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    for path in (*DEMO.glob("*.tine"), *(DEMO / "merged").glob("*.tine")):
        shutil.copy(path, runs)
    return runs


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    window = Opened(folder)
    window.session.settings.motion = False
    window.keyboard.focus()
    yield window
    window.close()


def overlay_of(opened: Opened) -> Overlay:
    assert opened.document.overlay is not None
    return opened.document.overlay


def row_with(opened: Opened, text: str) -> tuple[float, float]:
    """A window pixel in the text of the first row of the left panel that contains `text`."""
    rows: RowList = opened.window.panels["shown runs"].rows
    for index in range(rows.count):
        row = rows.row_at(index)
        if text in " ".join(span.text for span in (*row.left, *row.right)):
            left, top = dpg.get_item_rect_min(rows.drawlist)
            return left + 70.0, top + (index + 0.5) * rows.row_height
    raise AssertionError(f"no row says {text!r}")


def zone_with(opened: Opened, sheet: Sheet, text: str) -> tuple[float, float]:
    """The window pixel in the middle of the drawn text that begins with `text`."""
    left, top = dpg.get_item_rect_min(sheet.drawlist)
    for item in dpg.get_item_children(sheet.node, 2) or ():
        found = dpg.get_item_configuration(item)
        if str(found.get("text", "")).startswith(text):
            x, y = found["pos"][:2]
            return left + x + 8, top + y + 8
    raise AssertionError(f"nothing says {text!r}")


def compare(opened: Opened, folder: Path) -> None:
    opened.open(folder / "research-01.tine")
    opened.open(folder / "retry-01.tine")
    opened.keyboard.press("ctrl+d")
    opened.until(lambda: opened.document.overlay is not None, "the comparison")
    opened.until(lambda: opened.window.canvas.painted is opened.document and not opened.session.busy, "it is painted")
    opened.rest()


def panel_words(opened: Opened) -> str:
    panel = opened.window.panels["comparison"]
    return " ".join(opened.drawn(part.node) for part in (panel.header, panel.rows, panel.footer))


def test_the_two_demo_runs_are_compared_with_a_key_and_the_panel_says_where_they_part(
    opened: Opened, folder: Path
) -> None:
    compare(opened, folder)
    assert opened.document.title == "Compare research-01 and retry-01"
    words = panel_words(opened)
    for expected in ("They part here: 1 of 2", "the two", "B − A", "failed", "completed", "Saved by forking"):
        assert expected in words
    assert "≥ $0.1103" in words
    assert "tool" in words
    assert "model" in words
    left = opened.drawn(opened.window.panels["shown runs"].rows.node)
    assert "19 steps only in A" in left
    assert "5 steps only in B" in left
    assert "8 steps in both runs" in left
    status = opened.drawn(opened.window.panels["status"].sheet.node)
    assert "2 runs" in status
    assert "Verified" in status
    assert "read-only" in status


def test_in_a_small_window_no_figure_of_the_comparison_is_cut(opened: Opened, folder: Path) -> None:
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(700)
    opened.until(lambda: dpg.get_viewport_client_height() == 700, "the small window")
    compare(opened, folder)
    overlay = overlay_of(opened)
    subject = subject_of(opened.document)
    assert subject is not None
    opened.until(lambda: accounts_of(opened.session, opened.document) is not None, "what was checked last")
    opened.rest()
    drawn = opened.drawn(opened.window.panels["comparison"].header.node)
    assert "checking" not in drawn
    assert "B − A" in drawn
    for row in figure_rows(overlay, subject, accounts_of(opened.session, opened.document)):
        if row.label in SAYS_LEAST:  # left out whole, so that the difference below has its lines
            assert row.label not in drawn
            continue
        for figure in (row.a, row.b, row.delta):
            assert not figure or figure in drawn, figure
    assert all(overlay.runs[number].title in drawn for number in overlay.pair), "each side of the table has its name"
    runs = opened.drawn(opened.window.panels["shown runs"].rows.node)
    assert all(run.title in runs for run in (overlay.runs[number] for number in overlay.pair)), "the names go first"


def test_at_scale_one_and_a_half_the_difference_and_its_buttons_are_in_reach(folder: Path) -> None:
    opened = Opened(folder, scale=1.5)
    try:
        dpg.set_viewport_width(1440)
        dpg.set_viewport_height(900)
        opened.until(lambda: dpg.get_viewport_client_height() == 900, "the window's size")
        opened.keyboard.focus()
        compare(opened, folder)
        panel = opened.window.panels["comparison"]
        bottom = dpg.get_item_pos(panel.pane.window)[1] + panel._size[1]
        assert dpg.get_item_rect_max(panel.footer.drawlist)[1] <= bottom + 1, "the buttons are whole"
        assert dpg.get_item_height(panel.rows.window) >= 4 * panel.rows.row_height, "four lines of the difference"
        assert "B − A" in opened.drawn(panel.header.node)
        opened.mouse.click(*zone_with(opened, panel.footer, "Fork A here"))
        opened.until(lambda: opened.session.proposal is not None, "the fork is proposed")
    finally:
        opened.close()


def test_a_click_on_a_divergence_goes_there_and_the_keys_go_on(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    roots = overlay_of(opened).comparison.root_divergences  # type: ignore[union-attr]
    opened.mouse.click(*row_with(opened, "2: a step only in A"))
    opened.rest()
    assert opened.document.selection.primary == roots[1].a
    assert "They part here: 2 of 2" in panel_words(opened)
    x, y = opened.point(roots[1].a or "")
    assert opened.window.canvas.area.contains(x, y)
    opened.keyboard.press("n")
    opened.rest()
    assert opened.document.selection.primary in roots[0].causes
    opened.keyboard.press("shift+n")
    opened.rest()
    assert opened.document.selection.primary == roots[1].a


def test_tab_flips_between_the_sides_and_nothing_moves(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    overlay = overlay_of(opened)
    shared = overlay.comparison.shared[-1]  # type: ignore[union-attr]
    place = opened.point(shared)
    dimmed = []
    for _ in range(3):
        opened.keyboard.press("Tab")
        opened.rest()
        dimmed.append(overlay_of(opened).dimmed)
        assert opened.point(shared) == place
    assert dimmed[0] == dimmed[2] != dimmed[1]
    assert opened.session.view.panels
    opened.keyboard.press("Escape")
    opened.rest()
    assert overlay_of(opened).facing is None


def test_a_presented_comparison_flips_with_tab_and_its_foot_has_room_for_what_it_says(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dpg, "toggle_viewport_fullscreen", lambda: None)  # for screens of other sizes than this one
    compare(opened, folder)
    opened.keyboard.press("F5")
    opened.until(lambda: opened.session.presentation is not None, "the presentation")
    opened.rest()
    for width in (1000, 1600):
        dpg.set_viewport_width(width)
        dpg.set_viewport_height(700)
        opened.until(lambda: opened.window.canvas.area.width == width, "the size")  # noqa: B023
        opened.rest()
        style = opened.window.style
        slide = opened.window.slide
        texts = [dpg.get_item_configuration(item) for item in dpg.get_item_children(slide.sheet.node, 2) or ()]
        place = next(text for text in texts if str(text.get("text", "")).startswith("Slide 1 of "))
        face_of = {place["pos"][0]: "text"}
        ends = sorted(
            (
                text["pos"][0],
                text["pos"][0] + style.width(text["text"], face, text["size"] / style.metrics.line_height(face, 1.0)),
            )
            for text in texts
            if "text" in text and abs(text["pos"][1] - place["pos"][1]) < 8
            for face in (face_of.get(text["pos"][0], "mono"),)
        )
        assert len(ends) == 2, "place, figures"
        for (_, end), (begin, _) in itertools.pairwise(ends):
            assert end < begin
        assert ends[-1][1] <= slide.area.width
    opened.keyboard.press("Tab")
    opened.rest()
    assert not opened.session.view.panels
    assert overlay_of(opened).facing == overlay_of(opened).pair[0]
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.presentation is None, "its end")
    assert opened.session.view.panels


def test_another_form_of_the_difference_is_a_click_away_and_so_is_the_step_itself(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    panel = opened.window.panels["comparison"]
    before = len(panel.lines)
    opened.mouse.click(*zone_with(opened, panel.header, "All fields"))
    opened.rest()
    assert len(panel.lines) > before
    opened.mouse.click(*zone_with(opened, panel.header, "Text"))
    opened.rest()
    assert "asked" in opened.drawn(panel.rows.node)
    opened.session.invoke("select.step", step=opened.document.record.graph.ids[0])  # type: ignore[union-attr]
    opened.mouse.click(*zone_with(opened, panel.strip, "Step"))
    opened.rest()
    assert opened.window.panels["inspector"].pane.shown
    assert "Find RLHF papers" in opened.drawn(opened.window.inspector.step.header.node)


def test_the_fork_button_proposes_a_fork_of_the_side_it_names(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    opened.mouse.click(*zone_with(opened, opened.window.panels["comparison"].footer, "Fork A here"))
    opened.rest()
    assert opened.session.proposal is not None
    assert opened.session.proposal.sentence.endswith("research-01 stays as it is")
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.document.title == "Fork of research-01"


def test_the_fork_buttons_of_both_sides_propose_one_after_the_other(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    footer, tabs = opened.window.panels["comparison"].footer, len(opened.session.documents)
    opened.session.invoke("select.step", step=overlay_of(opened).family.graph.ids[0])
    opened.rest()
    for side, source in (("A", "research-01"), ("B", "retry-01")):
        for _ in range(3):
            if f"Fork {side} here" in opened.drawn(footer.node):
                break
            opened.keyboard.press("Tab")
            opened.rest()
        opened.mouse.click(*zone_with(opened, footer, f"Fork {side} here"))
        opened.rest()
        assert len(opened.session.documents) == tabs, "nothing is made yet"
        assert opened.session.proposal is not None
        assert opened.session.proposal.sentence.endswith(f"{source} stays as it is")


def test_the_card_is_saved_as_a_picture_where_every_step_has_a_card_of_its_own(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    fold = opened.document.picture.fold
    while fold is not None and (groups := [card for card in range(len(fold)) if fold.is_group(card)]):
        opened.session.invoke("fold.open", step=opened.document.picture.step_id(groups[0]))
        opened.rest()
        fold = opened.document.picture.fold
    assert fold is not None and len(fold) == len(fold.graph)
    opened.mouse.click(*zone_with(opened, opened.window.panels["comparison"].footer, "Export card"))
    opened.until(lambda: opened.window.prompter.window is not None, "where to save it")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("card.png")
    opened.keyboard.press("Return")
    opened.until(lambda: (folder / "card.png").exists(), "the picture, without another question")
    assert opened.window.prompter.window is None


def test_clicks_highlight_switch_off_and_solo_runs_of_a_family(opened: Opened, folder: Path) -> None:
    for name in ("research-01", "retry-01", "evidence"):
        opened.open(folder / f"{name}.tine")
    opened.keyboard.press("shift+f")
    opened.until(lambda: opened.document.overlay is not None, "the family")
    opened.rest()
    assert opened.document.title == "Family of 3 runs"
    numbers = {run.title: number for number, run in enumerate(overlay_of(opened).runs)}
    opened.mouse.click(*row_with(opened, "evidence"))
    opened.rest()
    assert overlay_of(opened).lit == numbers["evidence"]
    x, y = row_with(opened, "research-01")
    opened.mouse.click(x - 54, y)
    opened.rest()
    assert overlay_of(opened).hidden == {numbers["research-01"]}
    opened.mouse.double_click(*row_with(opened, "retry-01"))
    opened.rest()
    assert overlay_of(opened).shown == (numbers["retry-01"],)
    words = panel_words(opened)
    for expected in (
        "Each step once",
        "Runs added up",
        "Saved by forking",
        "Spent without a result",
        "forked from research-01",
    ):
        assert expected in words


def test_a_figure_of_two_runs_says_what_it_counts(opened: Opened, folder: Path) -> None:
    compare(opened, folder)
    footer = opened.window.panels["comparison"].footer
    left, top = dpg.get_item_rect_min(footer.drawlist)
    zone = next(zone for zone in footer.zones if "no path to a tip" in zone.hint)
    opened.mouse.move(left + zone.x0 + 20, top + (zone.y0 + zone.y1) / 2)
    opened.until(lambda: footer.tooltip.shown == zone.hint, "what the words mean")


def test_another_run_is_chosen_from_a_list(opened: Opened, folder: Path) -> None:
    opened.open(folder / "research-01.tine")
    opened.until(lambda: len(opened.session.runs.rows) == 3, "the folder is listed")
    opened.keyboard.press("ctrl+shift+d")
    opened.until(lambda: opened.window.prompter.visible, "the question")
    for _ in range(5):
        opened.frame()
    opened.keyboard.type("evid")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.document.title == "Compare research-01 and evidence", "the comparison")
    opened.rest()
    assert overlay_of(opened).comparison is not None


def test_runs_picked_in_the_list_are_shown_together(opened: Opened, folder: Path) -> None:
    opened.open(folder / "research-01.tine")
    rows = opened.window.panels["runs"].rows
    opened.until(lambda: rows.count == 3, "the folder is listed")
    with opened.keyboard.holding("ctrl"):
        for index in (0, 2):
            left, top = dpg.get_item_rect_min(rows.drawlist)
            opened.mouse.click(left + 60, top + (index + 0.5) * rows.row_height)
    opened.rest()
    assert len(opened.session.view.chosen_runs) == 2
    assert opened.document.title == "research-01.tine"
    opened.keyboard.press("shift+f")
    opened.until(lambda: opened.document.overlay is not None, "the family")
    assert len(overlay_of(opened).runs) == 2


def test_a_click_or_a_key_brings_each_of_a_stack_to_the_front(opened: Opened, tmp_path: Path) -> None:
    for record in answered_twice():
        storage.write(tmp_path / f"{record.run_id[:2]}.tine", record)
    opened.open(tmp_path / "Ye.tine")
    opened.open(tmp_path / "No.tine")
    opened.keyboard.press("ctrl+d")
    opened.until(lambda: opened.document.overlay is not None, "the comparison")
    opened.until(lambda: opened.window.canvas.painted is opened.document and not opened.session.busy, "it is painted")
    opened.rest()
    overlay = overlay_of(opened)
    (stack,) = set(overlay.stacks.values())
    back, front = stack
    assert opened.point(front)[1] - opened.point(back)[1] > 30
    x, y = opened.point(back, -0.6)
    opened.mouse.click(x, y)
    opened.rest()
    assert opened.document.selection.primary == back
    lower = opened.point(back, 0.75)
    opened.mouse.click(*lower)  # it lies over the other one now
    opened.rest()
    assert opened.document.selection.primary == back
    opened.keyboard.press("Right")
    opened.rest()
    assert opened.document.selection.primary == front
    opened.mouse.click(*lower)
    opened.rest()
    assert opened.document.selection.primary == front
