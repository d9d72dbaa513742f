"""The HTML page with a graph to zoom and click in: one file that needs no network, with recorded text shown as text
only.

The page's own script and style are fixed files whose hashes its content security policy names; nothing else may run.
Recorded text is in one block of JSON, escaped so that it cannot end the block, and the script puts it on the page
as text nodes only. Only the cards on screen are elements of the page; from afar one path per colour stands for all
boxes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from opentine_gui.assets import asset_path
from opentine_gui.core import Comparison, TineError
from opentine_gui.core.progress import Pace
from opentine_gui.describe.comparison_words import (
    MARK_WORDS,
    divergence_heading,
    divergence_sentence,
    verdict,
)
from opentine_gui.describe.difference_lines import DiffLine, first_difference
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.numbers import format_time
from opentine_gui.export.content import SHARED, Content
from opentine_gui.export.picture.drawing import Drawing, draw, legend_of
from opentine_gui.export.request import ExportRequest
from opentine_gui.scene.draw_list import Circle, Color, Curve, Line, Polygon, Primitive, Rect, Text
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import STATUS_ROLES, STEP_ROLES, Theme, mixed

LONGEST_TEXT = 20_000
"""Most characters of one recorded text on the page."""
MOST_TEXT = 48_000_000
"""Most characters of payload on one page; further payloads are left out, and the page says so."""
DEEPEST, MOST_ITEMS = 40, 2_000
MOST_FAILURES, MOST_DIVERGENCES, FIRST_PATHS = 100, 50, 12
_LARGEST_NUMBER = 1024
"""Most bits of a whole number that is written out."""
_FACES = {"text": 0, "title": 1, "mono": 2}
_SECTIONS = (
    ("error", "Error"),
    ("inputs", "Inputs"),
    ("outputs", "Outputs"),
    ("tool_info", "Tool"),
    ("model_info", "Model"),
    ("usage", "Usage"),
    ("billing", "Billing"),
)
_ROLES = (
    "canvas", "panel", "raised", "hairline", "card", "text", "quiet", "accent", "good", "bad", "model",
)  # fmt: skip
_SAYING = tuple(dict.fromkeys((*STATUS_ROLES.values(), "quiet")))
"""Roles of words that say how a run ended."""

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>opentine</title>
<style>{style}</style>
</head>
<body>
<header><h1 id="title"></h1><div id="heading" class="quiet"></div><ul id="legend" class="legend"></ul></header>
<main>
<svg id="graph" tabindex="0" role="group" aria-label="Steps. Arrow keys walk from step to step."><g id="view"></g></svg>
<div class="tools" role="toolbar" aria-label="View">
<button type="button" id="out" aria-label="Zoom out">−</button>
<button type="button" id="fit" title="Fit (0)"><span id="zoom"></span></button>
<button type="button" id="in" aria-label="Zoom in">+</button><button type="button" id="panel">Panel</button></div>
<noscript>This page draws the graph with a script of its own, and scripts are switched off here.</noscript>
</main>
<aside aria-label="Inspector"><input id="find" type="search" placeholder="Find a step ( / )" aria-label="Find a step">
<div id="side"></div></aside>
<div id="said" class="said" aria-live="polite"></div>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def write(request: ExportRequest, pace: Pace) -> bytes:
    """The page, as UTF-8."""
    content = Content(request, pace.part(0.0, 0.5))
    drawing = draw(content, heading=False)
    content.pace = pace.part(0.5, 0.9)
    style = _style(request.theme) + asset_path("page/page.css").read_text(encoding="utf-8")
    script = asset_path("page/page.js").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    data = _Data(content, drawing).values()
    pace.at(0.9)
    return _PAGE.format(policy=policy, style=style, script=script, data=block(data)).encode()


def block(value: Any) -> str:
    """JSON for a script element: ASCII only, without the characters that mean something to an HTML parser."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _style(theme: Theme) -> str:
    """The theme's colours as variables of the page's style."""
    colors = {role: theme.role(role) for role in _ROLES}
    for name, role in (("removed", "side_a"), ("added", "side_b")):
        colors[name] = mixed(theme.canvas, theme.role(role), 0.16)
        colors[f"{name}-mark"] = mixed(theme.canvas, theme.role(role), 0.42)
    scheme = "light" if theme.name == "light" else "dark"
    body = "".join(f"--{name}: {_hex(color)}; " for name, color in colors.items())
    said = "".join(f".says-{role} {{ color: {_hex(theme.role(role))}; }}\n" for role in _SAYING)
    return f":root {{ color-scheme: {scheme}; {body}}}\n{said}"


def _hex(color: Color) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color[:3]) + ("" if color[3] == 255 else f"{color[3]:02x}")


class _Data:
    """The data for the script: the drawing as numbers, and each step's text as plain values."""

    def __init__(self, content: Content, drawing: Drawing) -> None:
        self.content, self.drawing = content, drawing
        self.metrics = content.request.metrics or FontMetrics()
        self.colors: dict[str, int] = {}
        self.left = MOST_TEXT

    def values(self) -> dict[str, Any]:
        content, comparison = self.content, self.content.comparison
        failures = [number for number in range(len(content)) if content.graph.failed[content.positions[number]]]
        parents: list[list[int]] = [[] for _ in range(len(content))]
        for link in content.links:
            parents[link.target].append(link.source)
        divergences = list(self._divergences(comparison)) if comparison is not None else []
        places = [number for found in divergences for number in found["steps"]] or failures
        title = content.title
        return {
            "title": title,
            "heading": self._heading(),
            "legend": [[sign, self._color(color), said] for sign, color, said in legend_of(content)],
            "overview": self._overview(),
            "width": self.drawing.width,
            "height": self.drawing.height,
            "sideways": content.request.direction == "left-to-right",
            "start": divergences[0]["steps"] if divergences and divergences[0]["steps"] else [0],
            "links": [self._item(item) for item in self.drawing.links],
            "steps": [self._step(number, parents[number]) for number in content.numbers()],
            "divergences": divergences,
            "failures": failures[:MOST_FAILURES],
            "reasons": [
                failure_reason(content.graph, content.positions[number]) for number in failures[:MOST_FAILURES]
            ],
            "failureCount": len(failures),
            "places": places,
            "colours": list(self.colors),
        }

    # -- the whole --------------------------------------------------------------------------------------------------

    def _heading(self) -> list[str]:
        content = self.content
        if content.comparison is not None:
            return [verdict(content.comparison)]
        return [" · ".join(content.head)]

    def _overview(self) -> dict[str, Any]:
        content, comparison = self.content, self.content.comparison
        if comparison is None:
            lines = [clean(content.records[0].user_prompt, 600)] if len(content.records) == 1 else []
            lines += [f"{run.name}: {run.status}" for run in content.runs[:50] if len(content.runs) > 1]
            return {"title": "Overview", "lines": [line for line in lines if line], "table": []}
        table: list[list[str]] = [["", *[f"{run.letter} {run.name}" for run in content.runs[:2]], "B − A", ""]]
        for row in content.figure_rows:
            better = "" if row.better is None else "good" if row.better else "bad"
            roles = [f"says-{role}" if role else "" for role in (*row.roles, better)]
            table.append([row.label, row.a, row.b, row.delta, *roles])
        return {"title": "What changed", "lines": [], "table": table}

    def _divergences(self, comparison: Comparison) -> Iterator[dict[str, Any]]:
        for place, root in enumerate(comparison.root_divergences[:MOST_DIVERGENCES], start=1):
            numbers = [self._number(identity) for identity in (root.a, root.b) if identity is not None]
            try:
                lines = first_difference(comparison, root, FIRST_PATHS)
            except TineError as error:
                lines = [DiffLine("note", clean(error.message, 200))]
            yield {
                "heading": divergence_heading(comparison, place),
                "said": divergence_sentence(comparison, root),
                "steps": [number for number in numbers if number is not None],
                "lines": [[line.kind, line.text, [list(mark) for mark in line.marks]] for line in lines],
            }

    def _number(self, identity: str | None) -> int | None:
        if identity is None or identity not in self.content.graph:
            return None
        return self.content.number.get(self.content.graph.index(identity))

    # -- one step ---------------------------------------------------------------------------------------------------

    def _step(self, number: int, parents: list[int]) -> dict[str, Any]:
        content, drawn = self.content, self.drawing.steps[number]
        face, identity, mark = content.face(number), content.identity(number), content.mark(number)
        theme = content.request.theme
        divergence = content.divergences.get(identity, 0)
        partner = content.comparison.partner(identity) if content.comparison is not None else None
        other = self._number(partner) if partner != identity else None
        words = MARK_WORDS[mark] if mark is not None else None
        tags = [words.phrase] if words is not None else []
        tags += [flag.text for flag in face.flags if words is None or flag.text != words.flag]
        color = content.role(number) or (face.kind if face.kind in STEP_ROLES else SHARED)
        return {
            "box": [_round(value) for value in drawn.box],
            "items": [self._item(item) for item in drawn.items],
            "colour": self._color(theme.bad if face.kind == "error" else theme.role(color)),
            "id": clean(identity, 200),
            "kind": clean(face.kind, 40),
            "title": face.title,
            "line": face.line,
            "figures": face.figures.replace("  ", " · "),
            "sign": content.sign(number),
            "tags": tags,
            "facts": list(self._facts(number)),
            "divergence": divergence if divergence <= MOST_DIVERGENCES else 0,
            "partner": -1 if other is None else other,
            "parents": parents,
            "payload": list(self._payload(number)),
        }

    def _facts(self, number: int) -> Iterator[tuple[str, str]]:
        content = self.content
        head = content.graph.head(content.positions[number])
        if head.timestamp:
            yield "Time", f"{format_time(head.timestamp, date=True)} UTC"
        if len(content.runs) > 1:
            yield "Runs", ", ".join(content.runs[run].name for run in content.holders(number)[:20])

    def _payload(self, number: int) -> Iterator[tuple[str, Any]]:
        """The non-empty sections of a step's record, cleaned and cut."""
        if self.left <= 0:
            yield "Payload", {"v": "left out: the payloads before it fill the page"}
            return
        try:
            record: Mapping[str, Any] = msgspec.json.decode(self.content.graph.raw(self.content.positions[number]))
        except (msgspec.MsgspecError, RecursionError):
            yield "Payload", {"v": "cannot be read"}
            return
        for key, name in _SECTIONS:
            value = record.get(key)
            if value not in (None, "", {}, []):
                yield name, self._value(value, 0)

    def _value(self, value: Any, depth: int) -> Any:
        """A JSON value as the script reads it: a string, {"v": another scalar}, {"k": members} or {"i": items}."""
        if isinstance(value, str):
            said = clean(value, LONGEST_TEXT, lines=True)
            self.left -= len(said) + 8
            more = len(value) - LONGEST_TEXT
            return {"s": said, "m": f"{more:,}"} if more > 0 else said
        self.left -= 16
        if not isinstance(value, (dict, list)):
            return {"v": _scalar(value)}
        if depth >= DEEPEST:
            return {"v": "nested deeper than this page shows"}
        if isinstance(value, dict):
            kept = list(value.items())[:MOST_ITEMS]
            found: dict[str, Any] = {"k": [[clean(key, 200), self._value(item, depth + 1)] for key, item in kept]}
        else:
            found = {"i": [self._value(item, depth + 1) for item in value[:MOST_ITEMS]]}
        if len(value) > MOST_ITEMS:
            found["m"] = f"{len(value) - MOST_ITEMS:,}"
        return found

    # -- the drawing ------------------------------------------------------------------------------------------------

    def _color(self, color: Color | None) -> int:
        return -1 if color is None else self.colors.setdefault(_hex(color), len(self.colors))

    def _item(self, item: Primitive) -> list[Any]:
        """A primitive as a list that begins with a letter for its type; pixels at zoom 1, colours by number."""
        if isinstance(item, Rect):
            corners = [_round(value) for value in (item.x0, item.y0, item.x1, item.y1)]
            return ["r", *corners, self._color(item.fill), self._color(item.edge), _round(item.radius), item.thickness]
        if isinstance(item, Text):
            said = clean(item.text, lines=True).replace("\n", " ")
            width = _round(self.metrics.width(said, item.face, item.size))
            baseline = _round(item.y + self.metrics.ascent(item.face, item.size))
            face = _FACES.get(item.face, 0)
            return ["t", _round(item.x), baseline, said, face, item.size, self._color(item.color), width]
        if isinstance(item, Line):
            return ["l", _flat(item.points), self._color(item.color), item.thickness, _dash(item.dash)]
        if isinstance(item, Curve):
            points = _flat((item.p1, item.p2, item.p3, item.p4))
            return ["c", points, self._color(item.color), item.thickness, _dash(item.dash)]
        if isinstance(item, Polygon):
            return ["p", _flat(item.points), self._color(item.fill), self._color(item.edge), _round(item.thickness)]
        if isinstance(item, Circle):
            place = [_round(item.x), _round(item.y), _round(item.r)]
            return ["o", *place, self._color(item.fill), self._color(item.edge), item.thickness]
        raise TypeError("a picture of an export holds no other picture")


def _scalar(value: Any) -> str:
    """null, true, false or a number as JSON text; as numbers JavaScript would round them."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > _LARGEST_NUMBER:
        return "a very large number"
    return repr(value)


def _round(value: float) -> float:
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _flat(points: tuple[tuple[float, float], ...]) -> list[float]:
    return [_round(value) for point in points for value in point]


def _dash(dash: tuple[float, float] | None) -> str:
    return "" if dash is None else f"{_round(dash[0])} {_round(dash[1])}"
