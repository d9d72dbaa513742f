"""What small graphs look like: a picture above each assert, a line a rank."""

from __future__ import annotations

from textwrap import dedent

from opentine_gui.layout import FORK_EDGE, LANE_EDGE, MERGE_EDGE, Direction, Layout, LayoutRequest, extend, lay_out
from tests.layout.sketch import graph, sketch


def drawn(text: str, main: str | None = None) -> Layout:
    return lay_out(LayoutRequest(graph(text), main=main))


def picture(text: str) -> str:
    return dedent(text).strip()


def kinds(layout: Layout) -> dict[str, int]:
    names = [f"{layout.nodes[parent]}{layout.nodes[child]}" for parent, child in layout.edges.tolist()]
    return dict(zip(names, layout.edge_kinds.tolist(), strict=True))


def test_a_chain_is_one_straight_line() -> None:
    assert sketch(drawn("a b<a c<b")) == picture(
        """
        a
        b
        c
        """
    )


def test_a_fork_stands_beside_the_line_it_left() -> None:
    layout = drawn("a b<a c<b d<b e<d", main="c")
    assert sketch(layout) == picture(
        """
        a .
        b .
        c d
        . e
        """
    )
    assert kinds(layout) == {"ab": LANE_EDGE, "bc": LANE_EDGE, "bd": FORK_EDGE, "de": LANE_EDGE}


def test_the_first_child_goes_straight_on_and_forks_go_right_and_left_in_turn() -> None:
    assert sketch(drawn("a b<a c<a d<a", main="b")) == picture(
        """
        . a .
        d b c
        """
    )


def test_the_main_line_is_straight_even_where_main_forked_late() -> None:
    assert sketch(drawn("a b<a c<b x<a y<x", main="y")) == picture(
        """
        a .
        x b
        y c
        """
    )


def test_the_deeper_of_two_forks_is_the_nearer() -> None:
    # were p nearer than q, the edge b-q would cross the line p-r-s
    layout = drawn("a b<a c<b d<c p<a x<b q<b r<p s<r", main="d")
    assert sketch(layout) == picture(
        """
        . a . .
        . b . p
        x c q r
        . d . s
        """
    )
    assert layout.crossings == 0


def test_parallel_calls_stand_in_call_order_with_the_line_through_the_middle_one() -> None:
    layout = drawn("a t<a u<a v<a w<a x<a j<t,u,v,w,x k<j")
    assert sketch(layout) == picture(
        """
        . . a . .
        t u v w x
        . . j . .
        . . k . .
        """
    )
    assert layout.lanes[layout.index["v"]] == 0


def test_a_failed_call_keeps_its_place_among_the_calls() -> None:
    # u never came back to j
    assert sketch(drawn("a t<a u<a v<a w<a j<t,v,w")) == picture(
        """
        . . a .
        t u v w
        . . j .
        """
    )


def test_a_merge_stays_in_the_lane_of_its_first_parent() -> None:
    layout = drawn("a b<a c<a d<c m<b,d", main="m")
    assert sketch(layout) == picture(
        """
        a .
        b c
        . d
        m .
        """
    )
    assert kinds(layout)["dm"] == MERGE_EDGE


def test_a_second_root_that_joins_late_sinks_towards_where_it_joins() -> None:
    assert sketch(drawn("a b<a c<b r d<c,r")) == picture(
        """
        a .
        b .
        c r
        d .
        """
    )


def test_islands_share_the_ranks_side_by_side() -> None:
    assert sketch(drawn("a b<a x y<x p q<p", main="b")) == picture(
        """
        p a x
        q b y
        """
    )


def test_left_to_right_is_the_same_picture_turned() -> None:
    turned = lay_out(LayoutRequest(graph("a b<a c<b d<b"), main="c", direction=Direction.LEFT_TO_RIGHT))
    # a b c
    # . . d
    assert turned.centers.tolist() == [[0, 0], [260, 0], [520, 0], [520, 120]]
    assert turned.polyline(0).tolist() == [[110, 0], [150, 0]]


def test_a_new_step_below_a_tip_goes_on_in_its_lane() -> None:
    before = drawn("a b<a c<b d<b", main="c")
    assert sketch(extend(before, graph("a b<a c<b d<b e<d f<c"))) == picture(
        """
        a .
        b .
        c d
        f e
        """
    )


def test_a_new_fork_goes_where_it_pushes_nothing() -> None:
    before = drawn("a b<a c<b d<b e<d", main="c")
    after = extend(before, graph("a b<a c<b d<b e<d n<b"))
    assert sketch(after) == picture(
        """
        . a .
        . b .
        n c d
        . . e
        """
    )


def test_a_fork_taken_back_leaves_all_else_in_place() -> None:
    before = drawn("a b<a c<b d<a e<d", main="c")
    forked = extend(before, graph("a b<a c<b d<a e<d f<b"))
    assert extend(forked, graph("a b<a c<b d<a e<d")) == before
