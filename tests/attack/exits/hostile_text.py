"""Sends hostile text through every way out: screen, terminal, clipboard, exports, file names, errors."""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from random import Random

import msgspec

from opentine_gui import cli
from opentine_gui.app.inspect import clipboard_text
from opentine_gui.core import RunRecord, TineError, encode
from opentine_gui.describe import step_titles
from opentine_gui.describe.content.show_value import Wish, show_value
from opentine_gui.describe.content.tree_lines import Folds
from opentine_gui.export import CARD_FORMATS, FORMATS, export, request_of
from opentine_gui.scene.text.clean import MOST_MARKS, clean
from opentine_gui.scene.text.font_metrics import FontMetrics
from tests.app.conftest import Bench
from tests.attack.campaign import Attack, Campaign
from tests.attack.children import attack_in_children
from tests.attack.disk.workloads import at_home
from tests.export.hostile import ATTACKS, hostile_run

PIECES = (
    *(
        "\x1b[31m",
        "\x1b]0;t\x07",
        "\x1b]8;;http://127.0.0.1\x07",
        "\x9b2J",
        "\x90q",
        "\x07",
        "\x08",
        "\x00",
        "\x7f",
        "\x85",
    ),
    *("\u202e", "\u2066", "\u200b", "\u200f", "\ufeff", "\u00ad", "\u2028", "\u2029", "\r", "\n", "\x0b", "\x0c"),
    *("\u0300" * 9, "\u0e33" * 9, "\u064b" * 9, "\u0f71" * 9, "\U000e0041", "\ufe0f", "\ud800", "\ue000", "\uffff"),
    *("<script>hacked()</script>", "![x](http://127.0.0.1/x.png)", "[a](javascript:hacked())", "<img src=x>", "</svg>"),
    *("=HYPERLINK(1)", "+1", "@x", "-->", "]]>", "`", "```\n", "|", '"', "\\", "a", " ", "長", "é", "&amp;"),
)
METRICS = FontMetrics()


def run(campaign: Campaign) -> None:
    """Each try is a run whose every text is hostile, through one way out."""
    at_home(campaign.folder / "home")
    for way in WAYS.values():
        way(campaign.folder, "warm", [])
    attack_in_children(campaign, partial(_one, campaign.seed, campaign.folder), campaign.full)
    campaign.worst_what += f"; {len(WAYS)} ways out"


def _one(seed: int, folder: Path, number: int) -> list[str]:
    random = Random(f"{seed} {number}")
    names = list(WAYS)
    name = names[number % len(names)]
    text = "".join(random.choice(PIECES) for _ in range(random.randrange(1, 12)))
    if random.random() < 0.3:
        text = random.choice(ATTACKS) + text
    found: list[str] = []
    WAYS[name](folder, text, found)
    return [f"{name}: {sentence}" for sentence in found]


def run_with(text: str) -> RunRecord:
    """A run that says a text in every field that takes one; what JSON cannot store is replaced."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return hostile_run((text,) * 6, run_id=text)


# --- what must not be in an output ----------------------------------------------------------------------------------

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def hidden(text: str) -> str:
    """The first character of a text that steers, hides or turns other text, by its number; "" if there is none."""
    found = _HIDDEN.search(text)
    if found:
        return f"U+{ord(found[0]):04X} in {text[max(0, found.start() - 20) : found.end() + 20]!r}"
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > MOST_MARKS:
            return f"a flood of marks, U+{ord(letter):04X}"
    return ""


class _Tags(HTMLParser):
    """Collects what a browser would run or fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        for name, value in attributes:
            if name.startswith("on") or (name in ("src", "href") and (value or "").startswith(("http", "javascript"))):
                self.bad.append(f"<{tag} {name}={value!r}>")
        if tag in ("img", "iframe", "object", "embed", "link", "base"):
            self.bad.append(f"<{tag}>")


_LIVE_MARKDOWN = re.compile(
    r"(?<![\\\w])!\[[^\]\n]*\]\([^)\n]*\)|(?<!\\)\[[^\]\n]*\]\((?:http|javascript)[^)\n]*\)|<(?:script|img|a)\b"
)
_FENCED = re.compile(
    r"^(`{3,}|~{3,})[^\n]*\n.*?^\1[`~]*\s*$|(?<![`\\])(`+)(?!`).+?(?<!`)\2(?!`)",
    re.MULTILINE | re.DOTALL,
)


def live_markdown(text: str) -> str:
    """What a Markdown viewer would fetch, follow or run."""
    found = _LIVE_MARKDOWN.search(_FENCED.sub("", text))
    return repr(found[0][:80]) if found else ""


# --- the ways out ----------------------------------------------------------------------------------------------------

Way = Callable[[Path, str, list[str]], None]


def _check(found: list[str], text: str, where: str = "") -> None:
    wrong = hidden(text)
    if wrong:
        found.append(f"{where}{wrong}")


def _cleaned(_folder: Path, text: str, found: list[str]) -> None:
    for lines in (False, True):
        once = clean(text, 200, lines=lines)
        _check(found, once)
        if clean(once, 200, lines=lines) != once:
            found.append(f"cleaning twice is not cleaning once: {text!r}")


def _titles(_folder: Path, text: str, found: list[str]) -> None:
    record = run_with(text)
    for step in record.graph:
        for said in (step_titles.title(step), step_titles.subtitle(step), step_titles.figures(step)):
            _check(found, said)


def _views(_folder: Path, text: str, found: list[str]) -> None:
    for hint in ("", "a.md", "a.py", "a.diff", "a.csv", "a.log"):
        for raw in (False, True):
            shown = show_value({text[:40]: text, "list": [text * 30]}, Folds(), Wish(raw=raw, hint=hint))
            lines = show_value(text * 3, Folds(), Wish(raw=raw, hint=hint)).lines
            for listed in (shown.lines, lines):
                for number in range(min(len(listed), 60)):
                    _check(found, "".join(span.text for span in listed[number].spans), f"{hint} ")


def _copies(_folder: Path, text: str, found: list[str]) -> None:
    record = run_with(text)
    copied = clipboard_text.steps_markdown(record, record.graph.ids)
    _check(found, copied, "Markdown ")
    live = live_markdown(copied)
    if live:
        found.append(f"Markdown {live}")
    _check(found, clipboard_text.totals_text(record), "totals ")


def _exported(form: str, card: bool, folder: Path, text: str, found: list[str]) -> None:
    record = run_with(text)
    records = [record, msgspec.structs.replace(record, graph=record.graph)] if card else [record]
    try:
        data = export(
            request_of(records, compared=card, card=card, metrics=METRICS, names=(text, text), title=text), form
        )
    except TineError:
        return
    if form == "png":
        return
    output = data.decode()
    _check(found, output)
    if form in ("svg", "html"):
        tags = _Tags()
        tags.feed(output)
        if tags.bad:
            found.append(f"live: {tags.bad[0]}")
        ours = _Tags()
        ours.feed(export(request_of([run_with("a")], metrics=METRICS), form).decode())
        if tags.scripts > ours.scripts:
            found.append("a script of the content")
    if form == "markdown" and live_markdown(output):
        found.append(live_markdown(output))


def _terminal(command: str, folder: Path, text: str, found: list[str]) -> None:
    # As a shell would give it: half of a pair stands for a byte that is not UTF-8.
    text = "".join("\udcff" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
    name = text.replace("/", "_").replace("\x00", "").encode("utf-8", "surrogateescape")
    path = folder / (name[:100].decode("utf-8", "surrogateescape").strip(". ") + ".tine")
    try:
        path.write_bytes(encode(run_with(text)))
    except (OSError, TineError, UnicodeError):
        return
    missing = path.with_name(path.name + "-missing")
    words = {
        "show": [[str(path)], [str(folder)], [f"{path}#", "--json"]],
        "verify": [[str(path)], [str(missing)]],
        "diff": [[str(path), str(path)], [str(path), str(missing)]],
        "search": [[text.replace("\x00", "") or "a", str(path)]],
        "export": [[str(path), "-o", str(folder / "x.unknown")], [str(missing), "-o", str(folder / "x.svg")]],
        "fork": [[str(path), "nonsense" + text.replace("\x00", "")]],
        "open": [["--nonsense" + text.replace("\x00", "")]],
    }[command]
    for given in words:
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            cli.main([command, *given])
        printed = output.getvalue() + errors.getvalue()
        if "Traceback" in printed:
            found.append(f"a traceback: {printed.strip().splitlines()[-1][:200]}")
        if "--json" not in given:
            _check(found, printed.replace("\x1b[0m", ""))
    path.unlink(missing_ok=True)


def _window(folder: Path, text: str, found: list[str]) -> None:
    """What a session says in notices, titles, questions and on the page of a step."""
    bench = Bench(folder)
    try:
        document = bench.open("hostile.tine", run_with(text))
        bench.do("select.step", step=bench.record.graph.ids[0])
        for notice in bench.session.notices.list():
            _check(found, notice.text, "notice ")
        _check(found, document.title, "title ")
        for copied in bench.copied:
            _check(found, copied, "copied ")
    except TineError:
        pass
    finally:
        bench.session.close()


def _every(commands: tuple[str, ...]) -> Iterator[tuple[str, Way]]:
    for command in commands:
        yield f"terminal {command}", partial(_terminal, command)


WAYS: dict[str, Way] = {
    "clean": _cleaned,
    "titles of cards": _titles,
    "views of values": _views,
    "clipboard": _copies,
    **{f"export {form}": partial(_exported, form, False) for form in FORMATS if form not in ("json", "tine")},
    **{f"card {form}": partial(_exported, form, True) for form in CARD_FORMATS},
    **dict(_every(("show", "verify", "diff", "search", "export", "fork", "open"))),
    "session": _window,
}
ATTACK = Attack("exits", "recorded text steers, hides and runs nothing, wherever it comes out", run, 1.0, 20_000)
