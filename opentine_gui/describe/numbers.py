"""Numbers as short text with units; what was not recorded says so."""

from __future__ import annotations

import math
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentine_gui.core import Totals
    from opentine_gui.core.analysis.run_clock import Clock

NOT_PRICED = "not priced"
SUM_OF_STEPS = "Sum of steps"
"""A sum of the durations of several steps, which is no time by the clock, as the name of a figure."""
NOT_RECORDED = "not recorded"
BY_THE_CLOCK, WITHOUT_PAUSES = "By the clock", "Without pauses"
"""What a time of a run is."""
FOR_THE_RUN = "for the whole run"
"""Said of a cost or of tokens that the log states only as a sum."""
STATED = "The log states it for the whole run and for no step."
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
SINCE_FORK = "since the fork"
"""Said of sums that leave out what a fork inherited, because its metrics were reset."""


def format_cost(dollars: float | None) -> str:
    """Return US dollars: "$0.0020", "$3.20", "$1,234"; None is "not priced"."""
    if dollars is None:
        return NOT_PRICED
    if math.isnan(dollars):
        return NOT_RECORDED
    if math.isinf(dollars):  # a sum of what is recorded: one such cost is refused by the reader
        return "> $1e+308" if dollars > 0 else "< -$1e+308"
    sign, amount = ("-", -dollars) if dollars < 0 else ("", dollars)
    if amount == 0:
        return "$0"
    if amount < 0.00005:
        return f"{sign}<$0.0001"
    if amount < 1:
        return f"{sign}${amount:.4f}"
    if amount < 999.995:
        return f"{sign}${amount:.2f}"
    if amount < 1e9:
        return f"{sign}${amount:,.0f}"
    return f"{sign}${amount:.1e}"


def summed_duration(seconds: float) -> str:
    """Return a sum of the durations of steps: "20 min 50 s over all steps"; of 0, which none recorded, it says so."""
    return f"{format_duration(seconds)} over all steps" if seconds > 0 else "time not recorded"


def total_cost(totals: Totals) -> str:
    """Return a sum of costs: "$0.1103", "≥ $0.1103" where a price is missing; "not priced" or "not recorded".

    That of a run whose log states only the sum is that sum.
    """
    if totals.stated_cost is not None:
        return format_cost(totals.stated_cost)
    if not totals.cost_known:
        return NOT_PRICED if totals.unpriced else NOT_RECORDED
    return ("≥ " if totals.unpriced and math.isfinite(totals.cost) else "") + format_cost(totals.cost)


def format_duration(seconds: float | None) -> str:
    """Return a time span: "12 ms", "2.5 s", "41 s", "3 min 05 s", "2 h 05 min", "4 d 02 h"; None is "not recorded"."""
    if seconds is None or not math.isfinite(seconds):
        return NOT_RECORDED
    if seconds < 0:
        return f"-{format_duration(-seconds)}"
    if seconds < 0.0005:
        return "0.0 s" if seconds == 0 else "<1 ms"
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds) if seconds < 1e15 else 0
    if seconds >= 1e9:
        return f"{seconds / 86400:.1e} d"
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
    return f"{whole // 86400:,} d {whole % 86400 // 3600:02d} h"


def clock_words(clock: Clock) -> str:
    """A clock, and the time without pauses if there were any: "8 h 02 min, 46 min without pauses"."""
    said = format_duration(clock.whole)
    return f"{said}, {format_duration(clock.working)} without pauses" if clock.paused > 0 else said


def rounded_time(seconds: float) -> str:
    """A duration rounded down to its larger units, as clocks do: "6 min", "2 h 48 min", "3 days"."""
    if seconds >= 2 * 86_400.0:
        return f"{seconds // 86_400.0:.0f} days"
    hours, minutes = int(seconds // 3_600.0), int(seconds % 3_600.0 // 60.0)
    if hours:
        return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


def format_tokens(tokens: float | None) -> str:
    """Return a count of tokens: "412 tok", "1.9k tok", "2.1M tok"; None is "not recorded"."""
    if tokens is None or not math.isfinite(tokens):
        return NOT_RECORDED
    if tokens < 0:
        return f"-{format_tokens(-tokens)}"
    if tokens < 1000:
        return f"{tokens:.0f} tok"
    for limit, unit in ((1e6, "k"), (1e9, "M"), (1e12, "G")):
        if tokens < limit * 0.9995:
            share = tokens / limit * 1000
            return f"{share:.1f}{unit} tok" if share < 99.95 else f"{share:.0f}{unit} tok"
    return f"{tokens:.1e} tok"


def format_count(count: int) -> str:
    """Return a whole number with thousands separators: "2,114"."""
    return f"{count:,}"


def counted(number: int, noun: str) -> str:
    """Return a count with a noun whose plural ends in s: "1 step", "2,114 steps"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_bytes(size: int) -> str:
    """Return a size: "512 B", "48 kB", "1.4 MB"."""
    if size < 1000:
        return f"{size} B"
    if size < 999_500:
        return f"{size / 1000:.0f} kB"
    if size < 999_500_000:
        return f"{size / 1e6:.1f} MB"
    return f"{size / 1e9:.1f} GB"


def format_time(timestamp: float | None, zone: tzinfo = UTC, *, date: bool = False) -> str:
    """Return the time of day of a Unix timestamp: "23:04:11", with `date` "2026-02-13 23:04:11"; else "not recorded".

    A timestamp of 0 means that none was recorded; one outside the calendar is "not a date".
    """
    if not timestamp:
        return NOT_RECORDED
    try:
        moment = datetime.fromtimestamp(timestamp, zone)
    except (OverflowError, ValueError, OSError):
        return "not a date"
    return moment.strftime("%Y-%m-%d %H:%M:%S" if date else "%H:%M:%S")


def format_age(seconds: float) -> str:
    """Return how long ago something was, in one short word: "7 min", "2 h"; under a minute "now"."""
    for unit, name in ((86_400 * 365, "y"), (86_400 * 7, "w"), (86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return "now"


def format_day(timestamp: float, zone: tzinfo = UTC, *, year: bool = True) -> str:
    """Return the day of a Unix timestamp: "13 Feb 2026", without the `year` "13 Feb"; "" where it is none."""
    try:
        moment = datetime.fromtimestamp(timestamp, zone)
    except (OverflowError, ValueError, OSError):
        return ""
    day = f"{moment.day} {_MONTHS[moment.month - 1]}"
    return f"{day} {moment.year}" if year else day
