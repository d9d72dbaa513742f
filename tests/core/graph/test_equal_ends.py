"""What two texts have in common at their ends is counted once, whatever they are."""

from __future__ import annotations

from itertools import takewhile

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.graph.equal_ends import common_beginning, common_end

TEXTS = st.one_of(st.text("ab", max_size=12), st.lists(st.sampled_from(["one", "two"]), max_size=12))


def pairs_alike(pairs: object) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))  # type: ignore[call-overload]


@given(st.data())
def test_the_ends_are_as_long_as_item_by_item_and_never_overlap(data: st.DataObject) -> None:
    old = data.draw(TEXTS)
    new = data.draw(TEXTS.filter(lambda other: type(other) is type(old)))
    begun = common_beginning(old, new)
    assert begun == pairs_alike(zip(old, new, strict=False))
    end = common_end(old, new, begun)
    assert end == pairs_alike(zip(reversed(old[begun:]), reversed(new[begun:]), strict=False))
    assert begun + end <= min(len(old), len(new))
