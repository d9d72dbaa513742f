"""What a text is, is found out in a time that does not depend on what it is made of."""

from __future__ import annotations

import time

import pytest

from opentine_gui.describe.content.recognise import LOOKED_AT, recognise


@pytest.mark.serial
@pytest.mark.parametrize(
    "unit",
    [" ", "\n", " \n", "- ", "|-", "| ---", "a:", "::", '<a a="" ', "->a", "class a", "[a", "a.", "** ", "`a", "\t|"],
)
def test_floods_of_any_sign_are_recognised_in_linear_time(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * size)[:size]
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            recognise(text)
            best = min(best, time.process_time() - began)
        return best

    assert seconds(LOOKED_AT) <= 15 * seconds(LOOKED_AT // 10) + 0.002
