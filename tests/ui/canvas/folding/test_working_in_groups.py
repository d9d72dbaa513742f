"""Work on a folded run with a real mouse and keyboard: forked, searched, walked, growing, undone."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from opentine_gui.scene.space.camera import view_rect
from tests.core.sample_runs import make_record
from tests.ui.canvas.folding.long_run import (
    NEEDLE,
    STEPS,
    card_point,
    fold_of,
    largest,
    long_graph,
    open_by_mouse,
    places,
)
from tests.ui.opened import Opened


def test_a_group_is_forked_as_a_whole_however_it_came_to_be_selected(opened: Opened, run: RunRecord) -> None:
    """By a click, or as the first card of a group that was opened, or as one that was closed."""
    outer = largest(opened, range(len(fold_of(opened))))
    opened.mouse.click(*card_point(opened, outer))
    opened.until(lambda: opened.document.selected_group == outer, "the group selected")
    clicked = opened.document.selection
    open_by_mouse(opened, outer)
    inner = opened.document.selected_group
    assert inner is not None, "its first card is a group, too"
    assert opened.document.selection.primary == opened.document.picture.step_id(inner)
    opened.keyboard.press("f")
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    held = set(opened.document.picture.step_ids(inner))
    proposal = opened.session.proposal
    assert isinstance(proposal, ForkProposal)
    kept = run.graph.ancestors(run.graph.index(proposal.step))
    assert held <= {run.graph.ids[step] for step in kept} | {proposal.step}, "nothing of the card is dropped"
    opened.keyboard.press("Escape")
    opened.rest()
    opened.keyboard.press("Escape")
    opened.until(lambda: not fold_of(opened).state.openings, "the group closed")
    opened.rest()
    assert opened.document.selection == clicked


def test_a_step_inside_a_group_is_forked(opened: Opened, run: RunRecord) -> None:
    cards = len(fold_of(opened))
    card = largest(opened, range(cards // 2, cards))
    step = opened.document.picture.step_ids(card)[3]
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.until(lambda: opened.document.picture.index_of(step) is not None, "its card")
    opened.rest()
    index = opened.document.picture.index_of(step)
    assert index is not None
    assert opened.document.picture.step_ids(index) == [step], "it has a card of its own"
    opened.mouse.click(*opened.point(step))
    opened.keyboard.press("f")
    opened.until(lambda: opened.session.proposal is not None, "the proposal")
    opened.rest()
    opened.keyboard.press("Return")
    opened.until(lambda: len(opened.session.documents) == 2, "the fork")
    opened.rest()
    assert opened.document.record is not None
    assert len(opened.document.record.graph) == run.graph.index(step) + 1
    assert opened.document.picture.fold is not None


def fork_by_key(opened: Opened, step: str) -> None:
    """Fork at a selected step and wait for the fork's picture."""
    source = opened.document
    opened.keyboard.press("f")
    opened.until(lambda: opened.session.proposal is not None, "the proposal")
    opened.rest()
    opened.keyboard.press("Return")
    opened.until(lambda: opened.document is not source and opened.document.picture.layout is not None, "the fork")
    opened.until(lambda: opened.document.picture.flight is None and not opened.session.busy, "its picture")
    opened.rest()


def test_a_fork_that_keeps_most_cards_looks_like_the_folded_run_it_was_made_in(opened: Opened, run: RunRecord) -> None:
    source, forked = opened.document, run.graph.ids[449]
    opened.session.invoke("select.step", step=forked)
    opened.rest()
    shown = opened.document.picture.index_of(forked)
    assert shown is not None
    open_by_mouse(opened, shown)
    opened.session.invoke("select.step", step=forked)
    opened.until(lambda: source.picture.flight is None and not opened.session.busy, "the selected step")
    opened.rest()
    stood, at = places(opened), opened.point(run.graph.ids[0])
    fork_by_key(opened, forked)
    fork = fold_of(opened)
    assert len(fork.graph) == 450
    kept = {name: place for name, place in places(opened).items() if name in stood}
    assert len(kept) >= len(fork) - 1, "the same cards, and perhaps one of the step itself"
    assert kept == {name: stood[name] for name in kept}
    assert opened.point(run.graph.ids[0]) == pytest.approx(at, abs=15), "moved no more than its tip needs"
    x, y = opened.point(forked)
    assert opened.window.canvas.area.contains(x, y)
    opened.keyboard.press("g")
    opened.until(lambda: opened.document.picture.fold is None and not opened.session.busy, "every step")


@pytest.mark.parametrize(("step", "least"), [(37, 38), (197, 30)], ids=["a card a step", "folded"])
def test_a_fork_that_keeps_few_cards_has_a_first_view_of_its_own(
    opened: Opened, run: RunRecord, step: int, least: int
) -> None:
    forked, before = run.graph.ids[step], len(fold_of(opened))
    opened.session.invoke("select.step", step=forked)
    opened.rest()
    kept = opened.document.picture.index_of(forked)
    assert kept is not None and kept < before / 2 - 1
    fork_by_key(opened, forked)
    assert opened.document.record is not None and len(opened.document.record.graph) == step + 1
    assert len(places(opened)) >= least, "more cards than were left of the run it was made in"
    assert opened.document.picture.step_ids(opened.document.picture.index_of(forked) or 0) == [forked]
    for end in (run.graph.ids[0], forked):
        assert opened.window.canvas.area.contains(*opened.point(end)), "the whole of it is in view"


def test_a_search_finds_steps_in_groups_and_f3_brings_them_to_light(opened: Opened, run: RunRecord) -> None:
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("needle")
    opened.until(lambda: opened.session.search.steps == 1 and not opened.session.search.running, "the match")
    opened.rest()
    lit = opened.window.canvas.colours.lit(opened.document)
    assert lit is not None and lit.sum() == 1, "the card that holds it is lit"
    cards = len(fold_of(opened))
    opened.keyboard.press("F3")
    step = run.graph.ids[NEEDLE]
    opened.until(lambda: opened.document.selection.primary == step, "the step selected")
    opened.rest()
    index, camera, layout = (
        opened.document.picture.index_of(step),
        opened.document.picture.camera,
        opened.document.picture.layout,
    )
    assert index is not None and camera is not None and layout is not None
    assert opened.document.picture.step_ids(index) == [step]
    assert len(fold_of(opened)) <= cards + 3
    x0, y0, x1, y1 = view_rect(camera, opened.session.viewport)
    x, y = layout.centers[index]
    assert x0 < x < x1 and y0 < y < y1


def test_walking_failures_opens_one_group_at_a_time(opened: Opened, run: RunRecord) -> None:
    cards = len(fold_of(opened))
    failures = [number for number in range(STEPS) if run.graph.failed[number]]
    for number in failures[:4]:
        opened.keyboard.press("n")
        step = run.graph.ids[number]
        opened.until(lambda step=step: opened.document.selection.primary == step, "the next failure")
        opened.rest()
        index = opened.document.picture.index_of(step)
        assert index is not None and opened.document.picture.step_ids(index) == [step]
        assert len(fold_of(opened)) <= cards + 3, "what the walk opened before is taken back"


def grow(opened: Opened, steps: int) -> None:
    path = opened.document.path
    assert path is not None
    record = opened.document.record
    storage.write(path, make_record(list(long_graph(steps)), run_id="long"))
    opened.session.invoke("file.reload")
    opened.until(lambda: opened.document.record is not record, "the longer file read")
    opened.rest()


def test_a_run_grows_beside_an_open_group_and_inside_a_closed_one(opened: Opened) -> None:
    card = largest(opened, range(len(fold_of(opened)) // 2))
    open_by_mouse(opened, card)
    frame = fold_of(opened).frames[0]
    inside = [fold_of(opened).card(number).name for number in frame.cards]
    borders, cards = fold_of(opened).state.borders, len(fold_of(opened))
    stood = places(opened)
    for steps in range(STEPS + 4, STEPS + 24, 4):
        grow(opened, steps)
        fold = fold_of(opened)
        assert [fold.card(number).name for number in fold.frames[0].cards] == inside, "the open group stays as it is"
        assert len(borders - fold.state.borders) <= 2
        assert abs(len(fold) - cards) <= 2
        assert fold.card_of[steps - 1] == len(fold) - 1, "new steps lie in the last card"
        now = places(opened)
        moved = {now[node][0] for node in stood if node in now and now[node] != stood[node]}
        assert len(moved) <= 1, "where two cards are joined, what stands below them in their column moves up"
        stood = now
    last = len(fold_of(opened)) - 1
    opened.session.invoke("select.step", step=opened.document.picture.step_id(last))
    opened.session.invoke("fold.open")
    opened.until(lambda: len(fold_of(opened).state.openings) == 2, "the last group opened")
    opened.rest()
    grow(opened, STEPS + 40)
    assert len(fold_of(opened).state.openings) == 2


def test_undo_takes_edits_back_and_leaves_groups_as_they_are(opened: Opened) -> None:
    card = largest(opened, range(len(fold_of(opened))))
    open_by_mouse(opened, card)
    state = fold_of(opened).state
    step = opened.document.picture.step_ids(fold_of(opened).frames[0].cards[1])[0]
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    revealed = fold_of(opened).state
    opened.keyboard.press("ctrl+b")
    opened.until(lambda: step in opened.document.annotations, "the bookmark")
    opened.keyboard.press("Escape")
    opened.until(lambda: fold_of(opened).state != revealed, "the innermost group closed")
    closed = fold_of(opened).state
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: step not in opened.document.annotations, "the bookmark taken back")
    opened.rest()
    assert fold_of(opened).state == closed, "undo opens nothing"
    opened.keyboard.press("ctrl+shift+z")
    opened.until(lambda: step in opened.document.annotations, "the bookmark again")
    assert fold_of(opened).state == closed
    assert state.openings[0] in closed.openings
    assert not opened.document.edited, "nothing of this is in the file"


def test_g_shows_every_step_and_folds_again(opened: Opened) -> None:
    opened.keyboard.press("g")
    opened.until(lambda: opened.document.picture.fold is None, "a card for every step")
    opened.rest()
    assert opened.document.picture.layout is not None and len(opened.document.picture.layout.nodes) == STEPS
    opened.keyboard.press("g")
    opened.until(lambda: opened.document.picture.fold is not None, "folded again")
    opened.rest()
    assert opened.window.canvas.painted is opened.document
