"""The picture gets other cards while a button is held down: the gesture goes on with its own cards, or ends."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.document.camera.framing import center_card
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.pointer_state import ToolState
from opentine_gui.importers import readers
from opentine_gui.scene.space.camera import to_screen
from tests.app.canvas.folded_runs import fold_of, long_run
from tests.app.canvas.test_pointer_tools import Hand
from tests.app.conftest import Bench
from tests.app.files.saved_runs import edited
from tests.app.files.tiny_sessions import TINY, chain, step
from tests.conftest import named, run_of

BY = (60.0, 30.0)


def placed(document: Document) -> dict[str, tuple[float, float]]:
    assert document.state is not None
    return dict(document.state.placed(document.direction, document.is_folded))


def center(document: Document, name: str) -> tuple[float, float]:
    layout, card = document.picture.layout, document.picture.index_of(name)
    assert layout is not None and card is not None
    x, y = layout.centers[card].tolist()
    return x, y


def groups_of(document: Document) -> list[str]:
    """The names of the groups, in order."""
    fold = fold_of(document)
    return [document.picture.pin_of(card) for card in range(len(fold)) if fold.is_group(card)]


def point(bench: Bench, name: str, down: float = 0.0) -> tuple[float, float]:
    """The pixel at a card's centre, moved by a fraction of its half height; the camera goes there."""
    picture = bench.active.picture
    card = picture.index_of(name)
    assert picture.layout is not None and picture.camera is not None and card is not None
    picture.set_camera(center_card(picture.layout, card, picture.camera))
    x, y = center(bench.active, name)
    return to_screen(picture.camera, bench.session.viewport, x, y + down * picture.layout.spacing.node_height / 2)


def moved_by(at: tuple[float, float], by: tuple[float, float] = BY) -> tuple[float, float]:
    return at[0] + by[0], at[1] + by[1]


def lifted(bench: Bench, name: str, down: float = 0.0) -> tuple[Hand, tuple[float, float]]:
    """Press on a card and drag it; (the hand, the pixel where it is now)."""
    hand, start = Hand(bench), point(bench, name, down)
    hand.drag(start, moved_by(start), release=False)
    return hand, moved_by(start)


def in_hand(bench: Bench) -> set[str]:
    """The names of the cards that are drawn elsewhere."""
    return {bench.active.picture.pin_of(card) for card in bench.session.tools.state.moved}


def assert_put(bench: Bench, name: str, before: tuple[float, float]) -> None:
    """This card alone got a place, as far from where it stood as the pointer moved."""
    camera = bench.active.picture.camera
    assert camera is not None
    found = placed(bench.active)
    assert set(found) == {name}
    assert found[name] == pytest.approx(moved_by(before, (BY[0] / camera.zoom, BY[1] / camera.zoom)))


@pytest.mark.parametrize("opened", [0, -2])
def test_a_card_that_is_dragged_while_another_group_opens_is_the_one_that_is_moved(bench: Bench, opened: int) -> None:
    document = bench.open("long.tine", long_run())
    groups = groups_of(document)
    assert len(groups) > 2
    hand, end = lifted(bench, groups[-1])
    bench.do("fold.open", step=groups[opened])
    assert in_hand(bench) == {groups[-1]}, "before the pointer moves again, too"
    before = center(document, groups[-1])
    hand.send("release", end)
    assert_put(bench, groups[-1], before)


def test_a_group_that_is_opened_while_it_is_dragged_is_moved_with_all_that_is_in_it(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    name = groups_of(document)[-1]
    hand, end = lifted(bench, name)
    bench.do("fold.open", step=name)
    frame = fold_of(document).frames[0]
    assert bench.session.tools.state.moved == frozenset(frame.cards)
    before = center(document, name)
    hand.send("release", end)
    assert_put(bench, name, before)


def test_a_card_in_a_group_that_is_closed_while_it_is_dragged_stays(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    bench.do("fold.open", step=groups_of(document)[-1])
    inner = document.picture.pin_of(fold_of(document).frames[0].cards[1])
    hand, end = lifted(bench, inner)
    bench.do("fold.close")
    assert document.picture.pin_of(document.picture.index_of(inner) or 0) != inner
    assert not bench.session.tools.busy
    assert bench.session.tools.state == ToolState()
    hand.send("release", end)
    assert not placed(document)


def test_undo_of_the_step_whose_card_is_dragged_ends_the_drag(bench: Bench) -> None:
    edited(bench)
    hand, end = lifted(bench, bench.record.graph.ids[-1])
    assert in_hand(bench) == {bench.record.graph.ids[-1]}
    bench.do("edit.undo")
    assert not bench.session.tools.busy
    assert not bench.session.tools.state.moved
    hand.send("move", moved_by(end))
    hand.send("release", moved_by(end))
    assert not placed(bench.active)
    assert not bench.notices("error")


@pytest.mark.parametrize("name", ["a", "c"])
def test_a_drag_goes_on_while_the_session_grows(bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    path = bench.folder / "session.jsonl"
    path.write_bytes(chain("abc"))
    document = bench.open("session.jsonl")
    hand, end = lifted(bench, named(bench.record, name))
    for line in (step("d", "b"), b'{"tiny": "c", "result": "done"}\n', step("e", "c")):
        with path.open("ab") as file:
            file.write(line)
        bench.clock.now += 1.0
        bench.watch.post([path])
        bench.session.settle()
        hand.send("move", end)
        assert in_hand(bench) == {named(bench.record, name)}
    before = center(document, named(bench.record, name))
    hand.send("release", end)
    assert_put(bench, named(bench.record, name), before)


def test_a_press_that_a_group_opens_under_selects_the_card_that_was_pressed(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    groups = groups_of(document)
    at = point(bench, groups[-1])
    wanted = document.picture.step_id(document.picture.index_of(groups[-1]) or 0)
    hand = Hand(bench)
    hand.send("press", at)
    bench.do("fold.open", step=groups[0])
    hand.send("release", at)
    assert document.selection.ids == (wanted,)


def test_a_line_that_is_pulled_while_a_group_opens_is_of_the_same_card(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    groups = groups_of(document)
    hand, _ = lifted(bench, groups[-2], down=0.9)
    line = bench.session.tools.state.line
    assert line is not None
    wanted = document.picture.step_id(line.source)
    bench.do("fold.open", step=groups[0])
    line, refused = bench.session.tools.state.line, bench.session.tools.state.refused
    assert line is not None
    assert document.picture.step_id(line.source) == wanted
    assert set(refused) == set(range(len(fold_of(document)))), "in a chain one rests on the other"
    hand.send("release", hand.empty())
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == wanted


def test_a_line_whose_card_goes_is_let_go(bench: Bench) -> None:
    edited(bench)
    hand, end = lifted(bench, bench.record.graph.ids[-1], down=0.9)
    assert bench.session.tools.state.line is not None
    bench.do("edit.undo")
    assert bench.session.tools.state == ToolState()
    hand.send("release", end)
    assert bench.session.proposal is None
    assert not bench.notices("error")


def test_the_edge_that_is_pointed_at_is_none_of_a_picture_with_other_cards(bench: Bench) -> None:
    bench.open("run.tine", run_of({"a": "", "b": "a"}))
    hand = Hand(bench)
    hand.send("move", point(bench, named(bench.record, "b"), down=0.9))
    assert bench.session.tools.state.edge == 1
    bench.do("run.add_step", step=named(bench.record, "b"), accept=True)
    assert bench.session.tools.state.edge is None


def test_the_picture_is_panned_on_while_it_gets_other_cards(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    hand = Hand(bench)
    start = hand.empty()
    hand.drag(start, (start[0] - 50.0, start[1] + 40.0), release=False)
    bench.do("fold.open", step=groups_of(document)[0])
    assert bench.session.tools.busy
    before = document.picture.camera
    assert before is not None
    hand.send("move", (start[0] - 60.0, start[1] + 40.0))
    assert document.picture.camera is not None
    assert document.picture.camera.x == pytest.approx(before.x + 10.0 / before.zoom)
