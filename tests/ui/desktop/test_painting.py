"""Patching a painting gives the same result as repainting it: on the canvas, in lists, after a failure."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import dearpygui._dearpygui as raw
import dearpygui.dearpygui as dpg
import pytest
from PIL import Image, ImageChops

from bench.generate import branching_run
from bench.session_runs import session_run
from opentine_gui.app.state.pointer_state import PointerEvent
from opentine_gui.core.files import storage
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Line, Piece, Primitive, Rect, Text
from opentine_gui.ui.canvas.graph_picture import STILL
from opentine_gui.ui.toolkit.painter import MOST_CHANGED, ONE_CHANGED_IN, Painter, Painting
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.row_list import RowList
from tests.ui.opened import Opened, copy_of_demo, first_of
from tests.ui.painted_afresh import PaintedAfresh, below

WHITE = (255, 255, 255, 255)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copy_of_demo(tmp_path)


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    """A window with the failed demo run active."""
    window = Opened(folder)
    try:
        window.session.settings.motion = False
        window.open(folder / "research-01.tine")
        yield window
    finally:
        window.close()


def test_selecting_dragging_dropping_and_taking_back_repaint_only_what_differs(opened: Opened) -> None:
    check = PaintedAfresh(opened)
    check()
    assert opened.window.canvas.world.drawn > 100
    tool, think = (opened.point(first_of(opened, kind)) for kind in ("tool", "think"))
    for x, y in (tool, think):
        opened.mouse.click(x, y)
        check()
    opened.mouse.move(*tool)
    opened.mouse.press()
    for away in (20, 60, 90):
        opened.mouse.move(tool[0] + away, tool[1] + away / 2)
        check()
    opened.mouse.release()
    check()
    opened.session.invoke("edit.undo")
    check()
    assert all(share > 0.7 for share in check.kept[1:]), check.kept


def test_themes_zooms_pans_edits_and_other_documents_leave_no_old_primitives(opened: Opened, folder: Path) -> None:
    check = PaintedAfresh(opened)
    do = opened.session.invoke
    check()
    opened.mouse.click(*opened.point(first_of(opened, "tool")))
    check()
    for _ in range(3):
        do("view.theme", name="light")
        check()
    for zoom in ("view.zoom_in", "view.zoom_in", "view.zoom_out", "view.zoom_actual"):
        do(zoom)
        check()
    for dx, dy in ((300.0, 0.0), (0.0, -700.0), (-900.0, 400.0)):
        do("view.pan", dx=dx, dy=dy)
        check()
    do("view.fit")
    check()
    source = opened.document
    do("run.fork", step=first_of(opened, "think"), accept=True)
    check()
    assert opened.document is not source
    opened.session.activate(source)
    check()
    do("view.direction")
    check()
    opened.open(folder / "retry-01.tine")
    check()
    do("file.close")
    check()


@pytest.mark.parametrize("again", ["the same cards", "others"])
def test_two_drags_within_one_frame_are_two_drags(opened: Opened, again: str) -> None:
    """A release was lost, or a whole drag and the next press fell into one slow frame."""
    tools = opened.session.tools
    tool, think = first_of(opened, "tool"), first_of(opened, "think")
    area = opened.window.canvas.area

    def give(kind: str, step: str, away: float) -> None:
        x, y = opened.point(step)
        tools.handle(PointerEvent(kind, x - area.x + away, y - area.y))

    opened.mouse.click(*opened.free_point())
    opened.rest()
    for kind, away in (("press", 0.0), ("move", 30.0)):
        give(kind, tool, away)
    opened.frame()
    if again == "others":
        give("release", tool, 30.0)
    for kind, away in (("press", 0.0), ("move", 40.0)):
        give(kind, tool if again == "the same cards" else think, away)
    opened.frame()
    opened.frame()
    assert opened.window.canvas._in_hand[2] is not None


def test_from_far_away_the_graph_is_one_picture_sharp_at_rest_and_cards_again_when_near(
    opened: Opened, tmp_path: Path
) -> None:
    opened.open(storage.write(tmp_path / "large.tine", branching_run(4000)))
    canvas, spare = opened.window.canvas, PaintedAfresh(opened)
    opened.session.invoke("fold.every_step", shown=True)
    opened.until(lambda: opened.document.picture.fold is None, "a card for every step")
    opened.session.invoke("view.fit")
    sizes = []
    for rounds in range(2):
        opened.rest()
        opened.until(lambda: not canvas.graph.late, f"a sharp picture after {STILL} s of rest")
        (picture,) = [
            item for item in dpg.get_item_children(canvas.world.node, 2) if "Image" in dpg.get_item_type(item)
        ]
        texture = canvas.textures["density"]
        assert dpg.get_item_configuration(picture)["texture_tag"] == texture
        sizes.append(dpg.get_item_configuration(texture)["width"])
        if not rounds:
            opened.session.invoke("view.zoom", factor=0.7, x=400.0, y=400.0)
    x, y = opened.document.picture.layout.centers[0].tolist()  # type: ignore[union-attr]
    opened.session.invoke("view.center", x=x, y=y)
    opened.session.invoke("view.zoom_actual")
    opened.rest()
    assert canvas._level(opened.document, opened.document.picture.camera) is Level.CARD  # type: ignore[arg-type]
    spare()


def test_a_closed_document_is_freed_at_once(opened: Opened, folder: Path) -> None:
    """Every view drops it without the garbage collector, which may not run for long: 300 MB at 100,000 steps."""
    for last in (False, True):
        document = opened.document if last else opened.open(folder / "retry-01.tine")
        opened.mouse.click(*opened.point(first_of(opened, "tool")))
        opened.session.invoke("inspect.conversation")
        opened.rest()
        assert document.record is not None
        alive = [
            weakref.ref(thing)
            for thing in (document.record.graph, document.picture.base_layout, document.picture.scene_index)
        ]
        gc.collect()
        gc.disable()
        try:
            del document
            opened.session.invoke("file.close")
            opened.rest()
            opened.frame()
            assert [thing() for thing in alive] == [None] * 3
        finally:
            gc.enable()


@pytest.mark.parametrize("hidden", [False, True], ids=["panels shown", "panels hidden"])
def test_no_panel_in_use_keeps_a_closed_document(opened: Opened, hidden: bool) -> None:
    """Colours, an area of time, a search, a presentation: what was made of the run goes with it."""
    document, session = opened.document, opened.session
    record = document.record
    assert record is not None
    for figure in ("tool", "time"):
        session.invoke("view.heat", figure=figure)
        opened.rest()
    session.invoke("time.area", begin=min(record.graph.timestamps), end=max(record.graph.timestamps))
    session.invoke("search.open", text="kind:tool")
    opened.rest()
    opened.frame()
    if hidden:
        session.view.panels = False
        opened.rest()
    session.invoke("present.start")
    opened.rest()
    session.invoke("present.next")
    opened.rest()
    session.invoke("present.stop")
    opened.rest()
    alive = [weakref.ref(thing) for thing in (record.graph, document.picture.base_layout, document.picture.scene_index)]
    gc.collect()
    gc.disable()
    try:
        del document, record
        session.invoke("file.close")
        opened.rest()
        opened.frame()
        assert [thing() for thing in alive] == [None] * 3
    finally:
        gc.enable()


def is_on_screen(item: int) -> bool:
    """Whether an item and all that it lies in is shown."""
    above = dpg.get_item_parent(item)
    return dpg.is_item_shown(item) and (above is None or is_on_screen(above))


def test_nothing_on_screen_keeps_the_colours_of_the_theme_before(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a pane did that the fork bar does not use: a dark corner of ten pixels in the light window."""
    panes: list[Pane] = []
    follow = Pane.follow_theme
    monkeypatch.setattr(Pane, "follow_theme", lambda pane: (panes.append(pane), follow(pane)))
    opened.rebuild()
    made = list(dict.fromkeys(panes))

    def of_the_theme_before() -> list[tuple[object, object]]:
        shown = [pane.window for pane in made if pane.has_old_theme and is_on_screen(pane.window)]
        return [(dpg.get_item_pos(window), dpg.get_item_configuration(window)["width"]) for window in shown]

    opened.rest()
    opened.mouse.click(*opened.point(first_of(opened, "tool")))
    themes = itertools.cycle(["light", "dark"])
    for name, inputs in [
        ("run.fork", {}),
        ("proposal.cancel", {}),
        ("run.fork_edit", {}),
        ("proposal.cancel", {}),
        ("inspect.conversation", {}),
        ("search.open", {"text": "kind:tool"}),
    ]:
        opened.session.invoke(name, **inputs)
        opened.rest()
        opened.session.invoke("view.theme", name=next(themes))
        opened.rest()
        assert of_the_theme_before() == [], name


# -- lists -------------------------------------------------------------------------------------------------------------


def same_as_painted_afresh(opened: Opened, rows: RowList) -> None:
    spare = int(dpg.add_draw_node(parent=rows.drawlist))
    parts = [rows._piece(index, {}) for index in range(*rows._painted[1:3])]  # type: ignore[index]
    Painter(opened.window.style).repaint(spare, parts)
    assert below(rows.node) == below(spare)
    assert rows.drawn == sum(len(part.items) for part in parts)
    dpg.delete_item(spare)


def test_lists_show_what_painting_all_their_rows_gives(opened: Opened) -> None:
    outline, palette = opened.window.panels["outline"].rows, opened.window.palette.rows
    same_as_painted_afresh(opened, outline)
    left, top = dpg.get_item_rect_min(outline.drawlist)
    for row in (1, 4, 5):
        opened.mouse.move(left + 60, top + (row + 0.5) * outline.row_height)
        opened.rest()
        same_as_painted_afresh(opened, outline)
    opened.mouse.click(left + 60, top + 2.5 * outline.row_height)
    opened.rest()
    same_as_painted_afresh(opened, outline)
    opened.session.invoke("view.theme", name="light")
    opened.rest()
    same_as_painted_afresh(opened, outline)
    opened.keyboard.press("ctrl+k")
    opened.rest()
    same_as_painted_afresh(opened, palette)
    counts = [palette.count]
    for key in "paperzzz":
        opened.keyboard.press(key)
        opened.rest()
        same_as_painted_afresh(opened, palette)
        counts.append(palette.count)
    for _ in range(8):
        opened.keyboard.press("BackSpace")
        opened.rest()
        same_as_painted_afresh(opened, palette)
    assert len(set(counts)) > 2
    assert palette.count == counts[0]


# -- one painting ------------------------------------------------------------------------------------------------------


def words(count: int, marked: Sequence[int] = ()) -> list[Primitive]:
    """Texts, the marked ones different, with lines and boxes between them."""
    items: list[Primitive] = []
    for number in range(count):
        mark = "!" if number in marked else ""
        items.append(Text(number, 0, f"step {number}{mark}", "mono" if number % 3 else "text", 12.0, WHITE))
        items.append(Rect(number, 0, number + 5, 9, WHITE) if number % 2 else Line(((0, 0), (9, number)), WHITE, 1.0))
    return items


@pytest.mark.parametrize("failing", ["a picture painted anew", "a change"])
def test_a_picture_that_failed_half_way_is_repainted(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    node, spare = (int(dpg.add_draw_node(parent=opened.window.canvas.drawlist)) for _ in range(2))
    painter = Painter(opened.window.style)
    painting = Painting(painter, node)
    painting.show(words(40), alike=False)
    wanted = words(40, marked=(3, 20)) if failing == "a change" else words(60)
    draw, calls = raw.draw_text, []

    def failing_once(*arguments: object, **more: object) -> object:
        calls.append(arguments)
        if len(calls) == 2:
            raise RuntimeError("no room")
        return draw(*arguments, **more)

    monkeypatch.setattr(raw, "draw_text", failing_once)
    with pytest.raises(RuntimeError, match="no room"):
        painting.show(wanted, alike=failing == "a change")
    for again in (wanted, words(40, marked=(7,))):
        painting.show(again, alike=True)
        painter.repaint(spare, again)
        assert below(node) == below(spare)
        assert len(painting) == len(again)


@pytest.mark.parametrize("count", [30, 3000])
def test_few_changes_are_patched_and_many_repaint_everything(opened: Opened, count: int) -> None:
    node = int(dpg.add_draw_node(parent=opened.window.canvas.drawlist))
    painting = Painting(Painter(opened.window.style), node)
    painting.show(words(count), alike=True)
    before = set(dpg.get_item_children(node, 2))
    most = min(2 * count // ONE_CHANGED_IN, MOST_CHANGED) // 2
    painting.show(words(count, marked=range(most)), alike=True)
    assert len(before & set(dpg.get_item_children(node, 2))) == 2 * count - most
    painting.show(words(count, marked=range(most, 3 * most)), alike=True)
    assert not before & set(dpg.get_item_children(node, 2))


@pytest.mark.parametrize("seed", range(4))
def test_pieces_that_moved_are_moved_and_nothing_of_them_is_drawn(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Pieces come, go, change and move at once: what is drawn, and where, is what painting it afresh gives."""
    random = Random(seed)
    node, spare = (int(dpg.add_draw_node(parent=opened.window.canvas.drawlist)) for _ in range(2))
    painter = Painter(opened.window.style)
    painting = Painting(painter, node)
    stands: dict[int, tuple[float, float]] = {}
    place = Painter.place

    def noted(self: Painter, drawn: tuple[int, ...], piece: Piece) -> None:
        stands[drawn[0]] = (piece.x, piece.y)
        place(self, drawn, piece)

    monkeypatch.setattr(Painter, "place", noted)

    def piece() -> Piece:
        name = Text(0, 0, str(random.random()), "text", 12.0, WHITE)
        return Piece(random.randrange(900), random.randrange(900), (name, *words(random.randrange(7))))

    shown = [piece() for _ in range(60)]
    painting.show(shown, alike=False)
    for _ in range(40):
        before = set(dpg.get_item_children(node, 2))
        lost = random.sample(range(len(shown)), 5)
        shown = [one for number, one in enumerate(shown) if number not in lost]
        shown = [one._replace(x=one.x + 7) if random.random() < 0.7 else one for one in shown]
        for _ in range(5):
            shown.insert(random.randrange(len(shown)), piece())
        painting.show(shown, alike=True)
        painter.repaint(spare, shown)
        assert below(node) == below(spare)
        items = dpg.get_item_children(node, 2)
        assert [stands[item] for item in items] == [(one.x, one.y) for one in shown]
        assert len(before & set(items)) >= 50
        assert len(painting) == sum(len(one.items) for one in shown)


@pytest.mark.painted
def test_a_picture_whose_cards_have_slid_is_pixel_for_pixel_the_one_painted_afresh(
    opened: Opened, tmp_path: Path
) -> None:
    opened.session.settings.motion = True
    document = opened.open(storage.write(tmp_path / "folded.tine", session_run(400)))
    fold, world = document.picture.fold, opened.window.canvas.world
    assert fold is not None
    card = max((card for card in range(len(fold)) if fold.is_group(card)), key=lambda card: fold.card(card).size)
    opened.session.invoke("fold.open", step=document.picture.step_id(card))
    opened.until(lambda: document.picture.card_slide is not None, "cards on their way")
    opened.until(lambda: not document.picture.moves, "cards at their places")
    opened.rest()
    slid = Image.open(opened.picture(tmp_path / "slid.png")).convert("RGB")
    world._basis = None
    world.forget()
    opened.rest()
    afresh = Image.open(opened.picture(tmp_path / "afresh.png")).convert("RGB")
    assert ImageChops.difference(slid, afresh).getbbox() is None
