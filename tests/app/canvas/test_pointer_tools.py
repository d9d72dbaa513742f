"""Pointer gestures, driven by events as the window would send them."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.pointer_tools import EDGE_PIXELS
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.state.pointer_state import PointerEvent
from opentine_gui.layout import Layout
from opentine_gui.scene.space.camera import Camera, to_screen
from tests.app.conftest import TREE, Bench
from tests.conftest import named, run_of


class Hand:
    """A mouse that knows where cards are on the screen."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    @property
    def layout(self) -> Layout:
        layout = self.bench.active.picture.layout
        assert layout is not None
        return layout

    def at(self, name: str, down: float = 0.0, across: float = 0.0) -> tuple[float, float]:
        """The pixel at a card's centre, moved by fractions of its half height and half width."""
        camera = self.bench.active.picture.camera
        assert camera is not None
        x, y = self.layout.position(named(self.bench.record, name))
        spacing = self.layout.spacing
        x, y = x + across * spacing.node_width / 2, y + down * spacing.node_height / 2
        return to_screen(camera, self.bench.session.viewport, x, y)

    def empty(self) -> tuple[float, float]:
        """A pixel of the background."""
        return (self.bench.session.viewport.width - 3.0, 3.0)

    def send(self, kind: str, point: tuple[float, float], **fields: object) -> None:
        """Send one event and let it take effect."""
        self.bench.session.tools.handle(PointerEvent(kind, *point, **fields))  # type: ignore[arg-type]
        self.bench.session.settle()

    def click(self, point: tuple[float, float], **fields: object) -> None:
        self.send("press", point, **fields)
        self.send("release", point, **fields)

    def drag(
        self, start: tuple[float, float], end: tuple[float, float], release: bool = True, **fields: object
    ) -> None:
        """Press, move in three strokes, and release."""
        self.send("press", start, **fields)
        for share in (0.3, 0.7, 1.0):
            self.send(
                "move", (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share), **fields
            )
        if release:
            self.send("release", end, **fields)


@pytest.fixture
def hand(bench: Bench) -> Hand:
    bench.open("run.tine", run_of(TREE))
    return Hand(bench)


def selected(bench: Bench) -> list[str]:
    return [bench.active.step(step_id).inputs["text"] for step_id in bench.active.selection]


def test_a_click_selects_and_a_shift_click_adds_and_takes_out(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("a"))
    hand.click(hand.at("b"), shift=True)
    assert selected(bench) == ["a", "b"]
    hand.click(hand.at("a"), shift=True)
    assert selected(bench) == ["b"]
    hand.click(hand.at("c"))
    assert selected(bench) == ["c"]


def test_a_click_on_nothing_selects_nothing_but_a_pan_leaves_the_selection(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("a"))
    x, y = hand.empty()
    hand.drag((x, y), (x - 60, y + 40))
    assert selected(bench) == ["a"]
    hand.click(hand.empty())
    assert selected(bench) == []


@pytest.mark.parametrize(
    ("where", "fields"),
    [("empty", {}), ("a", {"button": "middle"}), ("a", {"space": True})],
    ids=["on nothing", "middle button on a card", "space on a card"],
)
def test_a_drag_pans_by_what_the_pointer_did(bench: Bench, hand: Hand, where: str, fields: dict[str, object]) -> None:
    before = bench.active.picture.camera
    assert before is not None
    x, y = hand.empty() if where == "empty" else hand.at(where)
    hand.drag((x, y), (x - 30, y + 50), **fields)
    assert bench.active.picture.camera == Camera(
        pytest.approx(before.x + 30 / before.zoom), pytest.approx(before.y - 50 / before.zoom), before.zoom
    )
    assert selected(bench) == []
    assert not bench.session.tools.busy


def test_the_wheel_zooms_about_the_pointer_and_with_shift_pans_sideways(bench: Bench, hand: Hand) -> None:
    point = hand.at("b")
    hand.send("wheel", point, wheel=3.0)
    assert hand.at("b") == (pytest.approx(point[0]), pytest.approx(point[1]))
    assert bench.active.picture.camera is not None
    zoom, x = bench.active.picture.camera.zoom, bench.active.picture.camera.x
    hand.send("wheel", point, wheel=-1.0, shift=True)
    assert bench.active.picture.camera.zoom == zoom
    assert bench.active.picture.camera.x > x


def test_shift_drag_on_nothing_draws_a_box_and_adds_what_it_touches(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("a"))
    (left, top), (right, bottom) = hand.at("b", -1.2, -1.05), hand.at("b", 0.5, 0.5)
    hand.drag((left, top), (right, bottom), release=False, shift=True)
    box = bench.session.tools.state.box
    assert box is not None
    assert selected(bench) == ["a"]
    hand.send("release", (right, bottom), shift=True)
    assert selected(bench) == ["a", "b"]
    assert bench.session.tools.state.box is None


def test_dragging_a_card_shows_it_moving_and_is_one_edit(bench: Bench, hand: Hand) -> None:
    home = hand.layout.position(named(bench.record, "b"))
    start = hand.at("b")
    hand.drag(start, (start[0] - 80, start[1] + 33), release=False)
    state = bench.session.tools.state
    assert state.moved == {hand.layout.index[named(bench.record, "b")]}
    assert hand.layout.position(named(bench.record, "b")) == home
    hand.send("release", (start[0] - 80, start[1] + 33))
    zoom = bench.active.picture.camera.zoom if bench.active.picture.camera else 0.0
    x, y = hand.layout.position(named(bench.record, "b"))
    assert (x, y) == (pytest.approx(home[0] - 80 / zoom), pytest.approx(home[1] + 33 / zoom))
    assert bench.active.history is not None
    assert len(bench.active.history) == 1
    assert selected(bench) == ["b"]
    bench.do("edit.undo")
    assert hand.layout.position(named(bench.record, "b")) == home


def test_dragging_one_of_several_selected_cards_moves_all_in_one_edit(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("b"))
    hand.click(hand.at("c"), shift=True)
    homes = [hand.layout.position(named(bench.record, name)) for name in "bc"]
    start = hand.at("c")
    hand.drag(start, (start[0] + 50, start[1]))
    moved = [hand.layout.position(named(bench.record, name)) for name in "bc"]
    assert moved[0][0] - homes[0][0] == pytest.approx(moved[1][0] - homes[1][0])
    assert moved[0][0] > homes[0][0]
    bench.do("edit.undo")
    assert [hand.layout.position(named(bench.record, name)) for name in "bc"] == homes
    assert selected(bench) == ["b", "c"]


def test_a_hand_that_trembles_does_not_move_a_card(bench: Bench, hand: Hand) -> None:
    x, y = hand.at("b")
    hand.drag((x, y), (x + 2, y - 3))
    assert selected(bench) == ["b"]
    assert bench.active.history is not None
    assert len(bench.active.history) == 0


def test_a_line_pulled_from_the_lower_edge_onto_nothing_proposes_a_fork(bench: Bench, hand: Hand) -> None:
    start = hand.at("b", 0.95)
    hand.drag(start, (start[0], start[1] + 150), release=False)
    line = bench.session.tools.state.line
    assert line is not None
    assert (line.target, line.refusal) == (None, "")
    assert bench.session.tools.state.hint == "Fork from here"
    hand.send("release", (start[0], start[1] + 150))
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == named(bench.record, "b")
    assert len(bench.session.documents) == 1


def test_a_line_pulled_onto_another_card_proposes_a_merge_in_that_order(bench: Bench, hand: Hand) -> None:
    hand.drag(hand.at("c", 0.95), hand.at("b"))
    proposal = bench.session.proposal
    assert isinstance(proposal, MergeProposal)
    assert [step for _, step in proposal.parents] == [named(bench.record, "c"), named(bench.record, "b")]


def test_cards_that_cannot_take_the_line_are_dimmed_with_the_reason(bench: Bench, hand: Hand) -> None:
    hand.drag(hand.at("b", 0.95), hand.at("a"), release=False)
    state = bench.session.tools.state
    index = {name: hand.layout.index[named(bench.record, name)] for name in "abc"}
    assert set(state.refused) == {index["a"], index["b"]}
    assert state.line is not None
    assert "rests on the other" in state.line.refusal
    assert state.hint == state.line.refusal
    hand.send("release", hand.at("a"))
    assert bench.session.proposal is None
    assert len(bench.notices("error")) == 1


def test_a_line_let_go_over_its_own_card_does_nothing(bench: Bench, hand: Hand) -> None:
    hand.drag(hand.at("b", 0.95), hand.at("b", -0.5))
    assert bench.session.proposal is None
    assert bench.notices() == []


def test_a_click_on_the_lower_edge_is_a_click(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("b", 0.95))
    assert selected(bench) == ["b"]
    assert bench.session.proposal is None


def test_small_cards_have_no_edge_to_pull_from(bench: Bench, hand: Hand) -> None:
    bench.do("view.zoom", factor=0.15)
    document = bench.active
    assert bench.session.tools.edge_at(document, *hand.at("b", 0.95)) is None
    hand.drag(hand.at("b", 0.95), hand.empty())
    assert bench.session.proposal is None
    assert document.history is not None
    assert document.history.undo_label == "Move step"


def test_cards_of_a_run_shown_whole_in_a_small_window_have_one(bench: Bench, hand: Hand) -> None:
    bench.do("view.zoom", factor=0.18)
    document = bench.active
    assert bench.session.tools.edge_at(document, *hand.at("b", 0.9)) == hand.layout.index[named(bench.record, "b")]
    assert bench.session.tools.edge_at(document, *hand.at("b", 0.3)) is None, "most of the card moves it"


def test_in_a_left_to_right_layout_the_line_is_pulled_from_the_right_edge(bench: Bench, hand: Hand) -> None:
    bench.do("view.direction")
    document = bench.active
    index = hand.layout.index[named(bench.record, "b")]
    x, y = hand.at("b", 0.0, 1.0)
    assert bench.session.tools.edge_at(document, x - EDGE_PIXELS / 2, y) == index
    assert bench.session.tools.edge_at(document, *hand.at("b", 0.95)) is None


def test_hovering_marks_the_card_and_its_edge_and_leaving_clears_it(bench: Bench, hand: Hand) -> None:
    index = hand.layout.index[named(bench.record, "b")]
    hand.send("move", hand.at("b"))
    assert bench.active.picture.hovered == index
    assert (bench.session.tools.state.cursor, bench.session.tools.state.edge) == ("hand", None)
    hand.send("move", hand.at("b", 0.95))
    assert (bench.session.tools.state.cursor, bench.session.tools.state.edge) == ("pull", index)
    bench.session.tools.leave()
    assert bench.active.picture.hovered is None
    assert bench.session.tools.state.edge is None


def test_hovering_without_change_does_not_ask_for_a_repaint(bench: Bench, hand: Hand) -> None:
    hand.send("move", hand.at("b"))
    bench.step()
    x, y = hand.at("b")
    bench.session.tools.handle(PointerEvent("move", x + 1, y))
    assert not bench.step()


def test_a_double_click_opens_the_reading_view(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("c"))
    hand.send("press", hand.at("c"))
    hand.send("double", hand.at("c"))
    hand.send("release", hand.at("c"))
    assert bench.session.view.reading
    assert selected(bench) == ["c"]


def test_a_right_click_selects_and_asks_for_the_menu_of_what_is_there(bench: Bench, hand: Hand) -> None:
    hand.click(hand.at("b"), button="right")
    menu = bench.session.context_menu
    assert menu is not None
    assert (menu.kind, menu.arguments) == ("step", {"step": named(bench.record, "b")})
    assert selected(bench) == ["b"]
    hand.click(hand.empty(), button="right")
    assert bench.session.context_menu is not None
    assert bench.session.context_menu.kind == "canvas"
    assert bench.session.context_menu.number > menu.number


def test_a_right_click_on_a_link_asks_for_its_menu_with_both_ends(bench: Bench, hand: Hand) -> None:
    link = next(
        number
        for number, (parent, child) in enumerate(hand.layout.edges.tolist())
        if (parent, child) == (0, bench.active.picture.index_of(named(bench.record, "b")))
    )
    camera = bench.active.picture.camera
    assert camera is not None
    start, end = hand.layout.polyline(link)[0], hand.layout.polyline(link)[-1]
    if abs(float(start[0] - end[0])) < 1:  # straight down: its middle is on it
        x, y = (start + end) / 2
    else:
        x, y = (start + hand.layout.polyline(link)[1]) / 2
    hand.click(to_screen(camera, bench.session.viewport, float(x), float(y)), button="right")
    menu = bench.session.context_menu
    assert menu is not None
    assert (menu.kind, menu.arguments) == (
        "edge",
        {"parent": named(bench.record, "a"), "child": named(bench.record, "b")},
    )
    assert selected(bench) == []


def test_a_right_click_on_one_of_several_keeps_them_selected(bench: Bench, hand: Hand) -> None:
    bench.do("select.all")
    hand.click(hand.at("b"), button="right")
    assert len(bench.active.selection) == 3


@pytest.mark.parametrize("way", ["escape", "right button"])
def test_a_gesture_can_be_dropped_on_the_way(bench: Bench, hand: Hand, way: str) -> None:
    start = hand.at("b")
    hand.drag(start, (start[0] + 90, start[1] + 90), release=False)
    if way == "escape":
        bench.do("view.dismiss")
    else:
        hand.send("press", (start[0] + 90, start[1] + 90), button="right")
    assert not bench.session.tools.busy
    hand.send("release", (start[0] + 90, start[1] + 90))
    assert bench.active.history is not None
    assert len(bench.active.history) == 0


def test_the_minimap_goes_where_it_is_pressed_and_dragged(bench: Bench, hand: Hand) -> None:
    tools = bench.session.tools
    before = bench.active.picture.camera
    assert before is not None
    tools.handle(PointerEvent("move", 5, 5, area="minimap", world=(1.0, 1.0)))
    bench.session.settle()
    assert bench.active.picture.camera == before
    for kind, world in (("press", (10.0, 20.0)), ("move", (30.0, 40.0))):
        tools.handle(PointerEvent(kind, 5, 5, area="minimap", world=world))
        bench.session.settle()
        assert bench.active.picture.camera == Camera(*world, before.zoom)
    tools.handle(PointerEvent("release", 5, 5, area="minimap", world=(30.0, 40.0)))
    tools.handle(PointerEvent("wheel", 5, 5, area="minimap", wheel=2.0))
    bench.session.settle()
    assert bench.active.picture.camera is not None
    assert bench.active.picture.camera.zoom > before.zoom


def test_events_without_a_document_are_harmless(bench: Bench) -> None:
    for kind in ("press", "move", "release", "double", "wheel", "leave"):
        bench.session.tools.handle(PointerEvent(kind, 10.0, 10.0))
    bench.session.settle()
    assert bench.notices() == []


def test_a_release_that_got_lost_does_not_spoil_the_next_gesture(bench: Bench, hand: Hand) -> None:
    start = hand.at("b")
    hand.drag(start, (start[0] + 90, start[1] + 90), release=False)
    hand.click(hand.at("c"))
    assert selected(bench) == ["c"]
    assert bench.active.history is not None
    assert len(bench.active.history) == 0
