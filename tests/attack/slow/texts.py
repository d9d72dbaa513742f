"""Searches for texts that take long for their size, in everything that looks at recorded text."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, NamedTuple

import msgspec

from opentine_gui.app.inspect import clipboard_text
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.search.scan_run import described, scan_run
from opentine_gui.app.search.step_search import PatternTooSlow, StepSearch
from opentine_gui.core import Graph, RunRecord, Step, StepKind, TineError, encode, step_id, text_difference
from opentine_gui.core.files import storage
from opentine_gui.core.files.overview import overview_of
from opentine_gui.describe import step_titles
from opentine_gui.describe.content.lines import Lines
from opentine_gui.describe.content.show_value import Wish, show_value
from opentine_gui.describe.content.tree_lines import Folds
from opentine_gui.export import export, request_of
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.font_metrics import FontMetrics
from tests.attack.campaign import Attack, Campaign, slowness
from tests.attack.children import attack_in_children
from tests.attack.slow import saying_sessions
from tests.attack.slow.beginnings import BEGINNINGS, GOES_ON, beginnings
from tests.attack.slow.told_run import read_commands, read_failures, read_groups

SMALL, WHOLE = 12_000, 1_000_000
"""Characters of the texts that are searched, and of those that the promise is about."""
BOUND, BOUND_OF_JOBS = 1.0, 4.0
"""Seconds of CPU per megabyte, and the same for what is done in slices off the main thread, and can be stopped."""
KEPT = 4
LONGEST_CLIMB, LONGEST = 1.5, 12.0
"""Seconds of CPU after which a text is known to be slow: of those that are searched, and of those at full size."""
SHOWN_AT_ONCE = 200
"""Lines that are looked at, spread over all: a view shows fewer."""

TOKENS = (
    *("\x90", "\x9b", "\x9d", "\x1b[", "\x1b]", "\x1bP", "\x1b[31m", "\x07", "\x00", "\x7f", "\u202e", "\u200b"),
    *("\u0300", "\u0e33", "\u0f71", "\u064b", "\U0001f3fb", "\ufe0f", "\U0010fffe", "\u2028", "\x85"),
    *("\n", "\r", "\r\n", "\t", " ", "    ", "a", "b1", "0", "é", "長", "_", "."),
    *(
        "[",
        "]",
        "(",
        ")",
        "](",
        "![",
        "*",
        "**",
        "***",
        "`",
        "```",
        "~~~",
        "<",
        ">",
        "<a",
        "</a>",
        "<!--",
        "-->",
        "&amp;",
    ),
    *("|", "| a ", "|-", "- ", "1. ", "> ", "# ", "\n\n", "---\n", "===\n", "\\", "\\[", "http://", "www.", "a@b.c"),
    *(
        "{",
        "}",
        '"',
        '\\"',
        "'",
        "'''",
        '"""',
        "/*",
        "*/",
        "//",
        ":",
        ",",
        ";",
        "=",
        '{"a":',
        "[[",
        "]]",
        "null",
        "1e5",
    ),
    *("@@ -1,9 +1,9 @@\n", "+", "-", "--- a/a\n", "+++ b/a\n", "diff --git a/a b/a\n", "+a\n", "-a\n", " a\n"),
    *("Traceback (most recent call last):\n", '  File "a", line 1, in b\n', "ValueError: ", "    at a (b.js:1:1)\n"),
    *("2024-01-01T00:00:00Z ", "ERROR ", "[INFO] ", "\x1b[38;5;1m", "\x1b[A", "\x1b[2K", "\b", "a\rb"),
    *(
        "data:image/png;base64,",
        "AAAA",
        "f'{",
        "${",
        "$(",
        "<<EOF\n",
        "def a():\n",
        "class A:",
        "#!/bin/sh\n",
        "SELECT ",
    ),
    *("    1\t", "12→", "a,b,c\n", "a\tb\n", "%s", "\\u", "0x", "r'", "(?:", "++", "!", "?", "&", "$", "^", "~"),
)
"""What the texts are made of: everything that some viewer takes for a sign."""
SEEDS = (
    ("\x90",),
    ("\x9d", "a"),
    ("\x1b]", "a"),
    ("\x1b[", "0"),
    ("[",),
    (
        "[",
        "](",
    ),
    ("*", "a"),
    ("`", "a"),
    ("<",),
    ("<!--",),
    ("![", "["),
    ("a",),
    (" ",),
    ("\u0300",),
    ("{", '"'),
    ("[[",),
    ('{"a":',),
    ("|",),
    ("> ",),
    ("- ", "\n"),
    ("Traceback (most recent call last):\n",),
    ('  File "a", line 1, in b\n',),
    ("@@ -1,9 +1,9 @@\n",),
    ("+a\n", "-a\n"),
    ("'''", "a"),
    ("/*",),
    ("\\",),
    ("a\rb",),
    ("a,b,c\n",),
    ("1e5",),
    ("\u0e33",),
    ("( ", "a"),
)
HINTS = (
    "",
    "a.md",
    "a.py",
    "a.js",
    "a.json",
    "a.html",
    "a.css",
    "a.sh",
    "a.sql",
    "a.yaml",
    "a.diff",
    "a.csv",
    "a.log",
    "a.rs",
)
PATTERNS = ("(a+)+$", "(.*)*x", "(a|a)*b", r"(\w+\s?)+:", "x")


class Genome(NamedTuple):
    """A text: a beginning, a unit that is repeated, an end."""

    begin: tuple[str, ...]
    unit: tuple[str, ...]
    end: tuple[str, ...]

    def text(self, size: int) -> str:
        unit = "".join(self.unit) or "a"
        begin, end = "".join(self.begin), "".join(self.end)
        return begin + (unit * (size // len(unit) + 1))[: max(0, size - len(begin) - len(end))] + end


def varied(genome: Genome, random: Random) -> Genome:
    """A text near another one."""
    parts = [list(part) for part in genome]
    for _ in range(random.choice((1, 1, 2, 3))):
        part = parts[random.choice((0, 1, 1, 1, 2))]
        change = random.randrange(3)
        if change == 0 or not part:
            part.insert(random.randrange(len(part) + 1), random.choice(TOKENS + BEGINNINGS + GOES_ON))
        elif change == 1:
            part[random.randrange(len(part))] = random.choice(TOKENS + BEGINNINGS + GOES_ON)
        else:
            del part[random.randrange(len(part))]
    return Genome(*(tuple(part[:8]) for part in parts))


# --- everything that looks at text -----------------------------------------------------------------------------------


def _looked_at(lines: Lines) -> None:
    for place in range(0, len(lines), max(1, len(lines) // SHOWN_AT_ONCE)):
        lines[place]


def _shown(hint: str, text: str) -> None:
    shown = show_value(text, Folds(), Wish(hint=hint))
    _looked_at(shown.lines)


def _shown_raw(text: str) -> None:
    _looked_at(show_value({"a": text, "b": [text[:1000]]}, Folds(), Wish(raw=True)).lines)


def step_with(text: str) -> Step:
    """A step that says a text in every field."""
    inputs, outputs, tool, error = (
        {"text": text[: len(text) // 2]},
        {"result": text[len(text) // 2 :]},
        {"name": "t"},
        {},
    )
    identity = step_id(StepKind.TOOL, inputs, outputs=outputs, tool_info=tool, model_info="m", error=error)
    return Step(
        id=identity, parent_ids=(), kind=StepKind.TOOL, inputs=inputs, outputs=outputs, model_info="m", tool_info=tool,
        error=error, timestamp=1.0, duration=1.0, cost=0.0,
    )  # fmt: skip


def run_with(text: str) -> RunRecord:
    """A run of one such step."""
    step = step_with(text)
    return RunRecord(run_id="slow", graph=Graph.of([step]), refs={"main": step.id}, metadata={"title": text[:5000]})


def _titled(text: str) -> None:
    step = step_with(text)
    step_titles.title(step)
    step_titles.subtitle(step)
    overview_of(run_with(text))


def _read(text: str) -> None:
    storage.reader.decode(encode(run_with(text)))


def _searched(query: str, text: str) -> None:
    record = run_with(text)
    search = StepSearch(parse_query(query))
    try:
        for found in scan_run(record, search):
            for one in found[:20]:
                described(record, search, one)
    except PatternTooSlow:
        pass


def _as_query(text: str) -> None:
    with suppress(ValueError):  # a sentence for whoever typed it
        parse_query(text[:20_000])


def _exported(form: str, text: str) -> None:
    export(request_of([run_with(text)], metrics=METRICS), form)


def _copied(text: str) -> None:
    record = run_with(text)
    clipboard_text.steps_markdown(record, record.graph.ids)


def _compared(text: str) -> None:
    text_difference(text, text[1:] + "x" + text[: len(text) // 7])


METRICS = FontMetrics()
TARGETS: dict[str, Callable[[str], Any]] = {
    "clean a title": lambda text: clean(text, 80),
    "clean lines": lambda text: clean(text, len(text) + 1, lines=True),
    "read": _read,
    "title": _titled,
    "show raw": _shown_raw,
    **{f"show {hint or 'a text'}": partial(_shown, hint) for hint in HINTS},
    **{f"search {pattern}": partial(_searched, f"/{pattern}/") for pattern in PATTERNS},
    "search a word": partial(_searched, "needle"),
    "a query": _as_query,
    **{
        f"export {form}": partial(_exported, form)
        for form in ("svg", "html", "mermaid", "dot", "graphml", "markdown", "json")
    },
    "copy as Markdown": _copied,
    "compare": _compared,
    "reasons of failures": read_failures,
    "groups": read_groups,
    "command lines": read_commands,
    **saying_sessions.targets(),
}
ALLOWED = {
    **{name: BOUND_OF_JOBS for name in TARGETS if name.startswith(("show", "export", "copy", "compare"))},
    **{f"search {pattern}": 6.0 for pattern in PATTERNS},  # a pattern has a time limit of its own, and then says so
}


def run(campaign: Campaign) -> None:
    """Climb, for each target by itself, then measure the slowest texts at full size."""
    random = Random(campaign.seed)
    best: dict[str, list[tuple[float, Genome]]] = {name: [] for name in TARGETS}
    for measure in TARGETS.values():
        measure("warm")
    seeds = [(name, Genome((), seed, ())) for seed in SEEDS for name in TARGETS]
    seeds += [(name, Genome(*parts)) for name in TARGETS for parts in beginnings(random)]
    if campaign.short:
        random.shuffle(seeds)
    rest = campaign.seconds_left * 0.5 if campaign.short else 0.0
    names = list(TARGETS)
    for number in campaign.numbers():
        if campaign.seconds_left < rest:
            break
        if number < len(seeds):
            name, genome = seeds[number]
        else:
            name = random.choice(names)
            pool = best[name] or [(0.0, Genome((), random.choice(SEEDS), ()))]
            genome = varied(random.choice(pool)[1], random)
        text = genome.text(SMALL)
        kept = best[name]
        kept.append((_seconds(name, text), genome))
        kept.sort(key=lambda one: -one[0])
        del kept[KEPT:]
    cases = [(name, genome) for name, kept in best.items() for _, genome in kept[:2]]
    random.shuffle(cases)
    attack_in_children(campaign, partial(_whole, cases), len(cases), longest=30.0)


class TooSlow(BaseException):
    """A text took longer than anybody wants to know."""


def _too_slow(*_arguments: object) -> None:
    raise TooSlow


def _seconds(name: str, text: str, most: float = LONGEST_CLIMB) -> float:
    began = time.process_time()
    signal.signal(signal.SIGVTALRM, _too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        with suppress(TineError, TooSlow):
            TARGETS[name](text)
    except msgspec.MsgspecError as error:
        raise AssertionError(f"{name} of a text raises {error!r}") from error
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


def _whole(cases: list[tuple[str, Genome]], number: int) -> tuple[list[str], float]:
    name, genome = cases[number]
    text = genome.text(WHOLE)
    slow = slowness()
    spent = _seconds(name, text, LONGEST * slow) / max(slow, slowness())
    allowed = ALLOWED.get(name, BOUND) * max(1.0, len(text.encode("utf-8", "replace")) / WHOLE)
    if spent > allowed:
        spent = min(spent, _seconds(name, text, LONGEST * slow) / max(slow, slowness()))
    if spent <= allowed:
        return [], spent
    return [f"{name}: {spent:.2f} s of CPU for a text of {len(text):,} characters made of {genome}"], spent


ATTACK = Attack(
    "texts", "no text takes more than 1 s of CPU per megabyte, or 4 s in views and exports", run, 2.0, 30_000
)
