"""Cards of a folded run that were moved by hand, without a window."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from tests.app.canvas.folded_runs import fold_of, long_run
from tests.app.conftest import Bench


def moved(bench: Bench, card: int, by: tuple[float, float] = (90.0, 40.0)) -> tuple[str, tuple[float, float]]:
    """Move a card as a drag does; (what its place is kept by, the place)."""
    document = bench.active
    assert document.picture.layout is not None
    x, y = document.picture.layout.centers[card].tolist()
    pin, place = document.picture.pin_of(card), (x + by[0], y + by[1])
    bench.do("canvas.move_steps", pins={pin: place})
    return pin, place


def place_of(document: Document, step: str) -> tuple[float, float]:
    layout, card = document.picture.layout, document.picture.index_of(step)
    assert layout is not None and card is not None
    x, y = layout.centers[card].tolist()
    return x, y


def test_a_moved_group_stays_there_through_opening_closing_undo_and_opening_again(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(3, len(fold_of(document))) if fold_of(document).is_group(card))
    before = place_of(document, document.picture.step_id(group))
    assert document.picture.layout is not None
    others = {card: tuple(at) for card, at in enumerate(document.picture.layout.centers.tolist()) if card != group}
    pin, place = moved(bench, group)
    assert place_of(document, pin) == place
    assert all(tuple(document.picture.layout.centers[card]) == at for card, at in others.items()), "nothing else moves"
    held = set(document.picture.step_ids(group))
    bench.do("fold.open", step=document.picture.step_id(group))
    frame = fold_of(document).frames[0]
    assert place_of(document, pin) == place, "what is in the group stands where the group was put"
    left, top, right, bottom = fold_of(document).open_groups[0].bounds
    for card in frame.cards:
        x, y = document.picture.layout.centers[card].tolist()
        assert left < x < right and top < y < bottom
    inner, inner_place = moved(bench, frame.cards[1], (0.0, 25.0))
    assert inner in held
    bench.do("fold.close")
    assert place_of(document, pin) == place
    bench.do("fold.open", step=pin)
    assert place_of(document, inner) == inner_place
    bench.do("edit.undo")
    assert place_of(document, inner) != inner_place and place_of(document, pin) == place
    bench.do("fold.close")
    bench.do("edit.undo")
    assert place_of(document, pin) == before
    bench.do("edit.redo")
    assert place_of(document, pin) == place
    bench.do("file.close")
    bench.do("file.open", path=bench.folder / "long.tine")
    assert place_of(bench.active, pin) == place, "it is remembered"
    bench.do("fold.every_step")
    assert place_of(bench.active, pin) != place, "what shows every step has places of its own"


def test_opening_a_group_above_leaves_a_moved_card_where_it_is(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    groups = [card for card in range(len(fold_of(document))) if fold_of(document).is_group(card)]
    upper = document.picture.step_id(groups[0])
    pin, place = moved(bench, groups[1])
    bench.do("fold.open", step=upper)
    assert place_of(document, pin) == place
    bench.do("edit.reset_layout")
    assert place_of(document, pin) != place


def test_links_of_moved_cards_reach_them_from_other_columns_too(bench: Bench) -> None:
    document = bench.open("long.tine", long_run("wide", shared=1000))
    layout = document.picture.layout
    assert layout is not None
    heads = fold_of(document).state.heads
    assert heads is not None and len(heads) > 2
    pin, (x, y) = moved(bench, document.picture.index_of(heads[1]) or 0)
    layout = document.picture.layout
    card = layout.index[pin]
    into = [edge for edge in range(len(layout.edges)) if layout.edges[edge][1] == card]
    assert into
    for edge in into:
        assert layout.polyline(edge)[-1].tolist() == [x, y - layout.spacing.node_height / 2]


def test_the_cards_of_a_folded_run_are_exported_as_they_stand(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    group = next(card for card in range(len(fold_of(document))) if fold_of(document).is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    bench.do("file.export", path=bench.folder / "cards.svg")
    drawn = (bench.folder / "cards.svg").read_text()
    for card in range(len(fold_of(document))):
        face = document.face(card)
        assert face.title.split()[0].strip("“\"'") in drawn
    assert drawn.count("failed") and "steps" in drawn
    whole = bench.folder / "all.svg"
    bench.do("file.export", path=whole, part="all")
    assert drawn.count("<text") < whole.read_text().count("<text"), "all steps are more than the cards"
    bench.do("file.export", path=bench.folder / "cards.png", part="cards")
    assert (bench.folder / "cards.png").read_bytes().startswith(b"\x89PNG")
    bench.do("file.export", path=bench.folder / "cards.json", part="cards")
    assert not (bench.folder / "cards.json").exists() and any("picture" in said for said in bench.notices("error"))


def test_a_place_from_another_run_is_not_used_where_it_would_cover_a_card(bench: Bench) -> None:
    first = bench.open("first.tine", long_run())
    pin, other = first.picture.pin_of(1), first.picture.pin_of(len(fold_of(first)) - 1)
    home, (x, y) = place_of(first, pin), place_of(first, other)
    bench.do("canvas.move_steps", pins={pin: (x + 20.0, y + 5.0)})
    assert place_of(first, pin) == (x + 20.0, y + 5.0), "by hand it is put wherever one likes"
    bench.do("fold.open", step=first.picture.step_id(2))
    assert place_of(first, pin) == (x + 20.0, y + 5.0), "and stays there"
    bench.do("file.close")
    second = bench.open("second.tine", long_run())
    assert place_of(second, pin) == home
    bench.do("fold.open", step=second.picture.step_id(2))
    bench.do("fold.close")
    assert place_of(second, pin) == home
    bench.do("canvas.move_steps", pins={pin: (x + 3000.0, y)})
    assert place_of(second, pin) == (x + 3000.0, y)
    bench.do("file.close")
    assert place_of(bench.open("third.tine", long_run()), pin) == (x + 3000.0, y), "where nothing is"
