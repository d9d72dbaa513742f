"""What a person stopped, counted in words."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.core.graph.stopped import INTERRUPTED, REFUSED
from opentine_gui.describe.numbers import format_count


def stopped_words(counts: Mapping[str, int]) -> str:
    """ "2 refused, 3 interrupted" of how many steps were stopped in which way; "" for none."""
    return ", ".join(f"{format_count(counts[how])} {how}" for how in (REFUSED, INTERRUPTED) if counts.get(how))
