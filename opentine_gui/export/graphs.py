"""Graphs as text for other programs: Mermaid, Graphviz DOT and GraphML, with every recorded text escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Any

from opentine_gui.core import CostState
from opentine_gui.core.progress import Pace
from opentine_gui.describe.comparison_words import twins_flag, verdict
from opentine_gui.export.content import SHARED, Content
from opentine_gui.export.picture.drawing import layout_of
from opentine_gui.export.request import ExportRequest
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.scene.theme import STEP_ROLES, Theme

LONGEST_LABEL = 60
LONGEST_ID = 200
MERMAID_LINKS, MERMAID_CHARACTERS = 500, 50_000
"""Mermaid's default limits."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]*")
_PLAIN_IN_LABEL = frozenset(" ,./:()='+?×…·≥≠≈-")
_FORMULA = re.compile(r"\$(?=\$)")  # two in a row begin a formula, even as entity codes
_LIST = re.compile(r"(\d+\.|[-+])\s")


# -- Mermaid --------------------------------------------------------------------------------------------------------


def write_mermaid(request: ExportRequest, pace: Pace) -> bytes:
    """A flowchart. Nodes are named after the first twelve characters of the step id; comments give the full ids.

    The comments are left out where they alone make it too large for Mermaid, which counts them.
    """
    content = Content(request, pace)
    names = _mermaid_names(content)
    way = "LR" if request.direction == "left-to-right" else "TD"
    body = [f"flowchart {way}", f"  %% {_comment(content.title)}"]
    if content.comparison is not None:
        body.append(f"  %% {_comment(verdict(content.comparison))}")
    full_ids: set[int] = set()
    for number in content.numbers(0.0, 0.9):
        face = content.face(number)
        lines = [face.title, _spaced(face.figures), *_remarks(content, number, face)]
        label = "<br/>".join(entities(clean(line, LONGEST_LABEL)) for line in lines if line)
        body.append(f'  {names[number]}["{label}"]:::{_mermaid_class(content, number, face)}')
        full_ids.add(len(body))
        body.append(f"  %% {names[number]} is {_comment(content.identity(number))}")
    for place, stack in enumerate(_stacks(content), start=1):
        body.append(f'  subgraph twins{place}["{entities(twins_flag(len(stack)))}"]')
        body += [*[f"    {names[number]}" for number in stack], "  end"]
    for link in content.links:
        body.append(f"  {names[link.source]} {'-.->' if link.through else '-->'} {names[link.target]}")
    body += _mermaid_classes(content, request.theme)
    text = "\n".join(body) + "\n"
    if len(text) > MERMAID_CHARACTERS:
        without = "\n".join(line for place, line in enumerate(body) if place not in full_ids) + "\n"
        text = without if len(without) <= MERMAID_CHARACTERS else text
    if len(content.links) > MERMAID_LINKS or len(text) > MERMAID_CHARACTERS:
        text = (
            f"%% {len(content.links):,} links and {len(text):,} characters: Mermaid draws {MERMAID_LINKS} links and "
            f"{MERMAID_CHARACTERS:,} characters unless its settings maxEdges and maxTextSize are raised.\n{text}"
        )
    return text.encode()


def mermaid_limits(data: bytes) -> str:
    """The sentence of a written flowchart that is larger than Mermaid draws by itself; "" for any other."""
    first, _, _ = data.partition(b"\n")
    return first[2:].decode().strip() if first.startswith(b"%%") else ""


def _mermaid_names(content: Content) -> list[str]:
    """Node names that Mermaid accepts; where a name repeats, the step's number is added."""
    names: list[str] = []
    known: set[str] = set()
    for number in range(len(content)):
        name = "s" + re.sub(
            r"[^A-Za-z0-9]", "_", clean_id(content.identity(number)).encode("ascii", "replace").decode()
        )
        if name in known:
            name = f"{name}_{number}"
        known.add(name)
        names.append(name)
    return names


def _mermaid_class(content: Content, number: int, face: CardFace) -> str:
    role = content.role(number)
    return (role or (face.kind if face.kind in STEP_ROLES else SHARED)).replace("_", "")


def _mermaid_classes(content: Content, theme: Theme) -> list[str]:
    occurring = STEP_ROLES if content.family is None else [run.role for run in content.runs]
    roles = dict.fromkeys([SHARED, *occurring])
    return [
        f"  classDef {role.replace('_', '')} fill:{_hex(theme.card)},stroke:{_hex(theme.role(role))},"
        f"stroke-width:2px,color:{_hex(theme.text)}"
        for role in roles
    ]


def entities(text: str) -> str:
    """A label in which everything but letters, digits and harmless signs is replaced by entity codes."""
    text = _FORMULA.sub("$ ", text)
    listed = _LIST.match(text)
    if listed is None:
        return text.translate(_ENTITIES)
    unsafe = listed.end() - 2  # Mermaid reads "1. x" and "- x" as a list, which it cannot draw
    before, after = text[:unsafe].translate(_ENTITIES), text[unsafe + 1 :].translate(_ENTITIES)
    return f"{before}#{ord(text[unsafe])};{after}"


class _Entities(dict[int, str]):
    """A translation table that decides on a character when it is first seen."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        result = char if char.isalnum() or char in _PLAIN_IN_LABEL else f"#{code};"
        if len(self) < 20_000:
            self[code] = result
        return result


_ENTITIES = _Entities()


def _comment(text: str) -> str:
    """A comment's text: on one line, without the braces that would make it a directive."""
    return clean(text, LONGEST_ID).replace("{", "(").replace("}", ")").replace("%%", "% %")


# -- DOT ------------------------------------------------------------------------------------------------------------


def write_dot(request: ExportRequest, pace: Pace) -> bytes:
    """A digraph; nodes are named by full step id, edges lead from parents to children."""
    content, theme = Content(request, pace), request.theme
    names = node_names(content)
    quoted = [_quoted(name) for name in names]
    rank = "LR" if request.direction == "left-to-right" else "TB"
    letters = f'fontcolor={_quoted(_hex(theme.text))}, fontname="Inter,Helvetica,Arial"'
    ground = f"rankdir={rank}, bgcolor={_quoted(_hex(theme.canvas))}, label={_quoted(content.title)}, labelloc=t"
    card = f'shape=box, style="rounded,filled", fillcolor={_quoted(_hex(theme.card))}, fontsize=11, penwidth=2'
    lines = [
        "digraph run {",
        f"  graph [{ground}, {letters}];",
        f"  node [{card}, {letters}];",
        f"  edge [color={_quoted(_hex(theme.main_link))}, arrowsize=0.6];",
    ]
    colour = cache(lambda role: _quoted(_hex(theme.role(role))))
    for number in content.numbers(0.0, 0.9):
        face = content.face(number)
        said = [face.title, face.line, _spaced(face.figures), *_remarks(content, number, face)]
        label = "\n".join(clean(line, LONGEST_LABEL) for line in said if line)
        role = content.role(number) or (face.kind if face.kind in STEP_ROLES else SHARED)
        identity = content.identity(number)
        whole = quoted[number] if names[number] == identity else _quoted(clean(identity, LONGEST_ID))
        lines.append(f"  {quoted[number]} [label={_quoted(label)}, color={colour(role)}, tooltip={whole}];")
    for place, stack in enumerate(_stacks(content), start=1):
        inside = " ".join(f"{quoted[number]};" for number in stack)
        frame = f"label={_quoted(twins_flag(len(stack)))}, style=rounded, color={_quoted(_hex(theme.quiet))}"
        lines.append(f"  subgraph cluster_{place} {{ graph [{frame}]; {inside} }}")
    for link in content.links:
        side = content.role(link.target)
        look = [] if side is None else [f"color={colour(side)}"]
        look += ["style=dashed"] if link.through else []
        attributes = f" [{', '.join(look)}]" if look else ""
        lines.append(f"  {quoted[link.source]} -> {quoted[link.target]}{attributes};")
    return ("\n".join([*lines, "}"]) + "\n").encode()


def _quoted(text: str) -> str:
    """Quote a DOT string: backslashes and ampersands are escaped, newlines become line breaks of a label."""
    safe = text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{safe}"'


# -- GraphML --------------------------------------------------------------------------------------------------------


def write_graphml(request: ExportRequest, pace: Pace) -> bytes:
    """A directed graph with each step's data as typed attributes, its place in the layout included."""
    content = Content(request, pace)
    names = [_in_attribute(name) for name in node_names(content)]
    layout = layout_of(content)
    centers = layout.centers.tolist()
    keys = _Keys()
    title = keys.data("graph", "title", content.title)
    lines = []
    for number in content.numbers(0.3, 0.9):
        x, y = centers[layout.index[content.identity(number)]]
        lines.append(f'    <node id="{names[number]}">')
        facts = {**step_facts(content, number), "x": x, "y": y}
        lines += [f"      {keys.data('node', name, value)}" for name, value in facts.items()]
        lines.append("    </node>")
    for link in sorted(content.links, key=attrgetter("source")):
        lines.append(f'    <edge source="{names[link.source]}" target="{names[link.target]}">')
        lines += [f"      {keys.data('edge', 'through', link.through)}", "    </edge>"]
    whole = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _GRAPHML,
        *reversed(keys.lines),
        '  <graph edgedefault="directed">',
        *lines,
        f"    {title}",
        "  </graph>",
        "</graphml>",
        "",
    ]
    return "\n".join(whole).encode("ascii", "xmlcharrefreplace")


_GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">'
)


_GRAPHML_TYPES = {bool: "boolean", float: "double", int: "long", str: "string"}


class _Keys:
    """The attributes that a GraphML file declares, and their values, in the form that networkx writes.

    networkx's own writer builds a tree of all elements and moves all of them for each new attribute: it did not finish
    84,000 steps in 200 s.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._known: dict[tuple[str, str, type], str] = {}

    def data(self, scope: str, name: str, value: float | str) -> str:
        """A value of an attribute of a graph, node or edge; the attribute is declared on first use."""
        known = (scope, name, type(value))
        key = self._known.get(known)
        if key is None:
            key = self._known[known] = f"d{len(self.lines)}"
            kind = _GRAPHML_TYPES[type(value)]
            self.lines.append(f'  <key id="{key}" for="{scope}" attr.name="{name}" attr.type="{kind}" />')
        if type(value) is str:
            return f'<data key="{key}">{_in_text(value)}</data>' if value else f'<data key="{key}" />'
        return f'<data key="{key}">{value}</data>'


def _in_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _in_attribute(text: str) -> str:
    return _in_text(text).replace('"', "&quot;")


def step_facts(content: Content, number: int) -> Mapping[str, Any]:
    """A step's attributes; what was not recorded is left out."""
    face, head = content.face(number), content.graph.head(content.positions[number])
    facts: dict[str, Any] = {
        "step": clean(content.identity(number), LONGEST_ID),
        "title": face.title,
        "line": face.line,
        "kind": clean(face.kind, 40),
        "failed": head.failed,
        "cost_state": head.cost_state.value,
        "runs": ", ".join(content.runs[run].name for run in content.holders(number)),
    }
    if head.cost_state in (CostState.KNOWN, CostState.PARTIAL):
        facts["cost"] = head.cost
    if head.duration > 0:
        facts["duration"] = head.duration
    if head.tokens is not None:
        facts["tokens"] = head.tokens
    if head.timestamp:
        facts["timestamp"] = head.timestamp
    mark = content.mark(number)
    if mark is not None:
        facts["mark"] = mark.value
        facts["root_divergence"] = content.divergences.get(content.identity(number), 0)
    return facts


# -- shared by the three formats -------------------------------------------------------------------------------------


def node_names(content: Content) -> list[str]:
    """The full id of each step if it is a plain name, as the format's ids are; else "step" and its number."""
    found: list[str] = []
    for number in range(len(content)):
        identity = content.identity(number)
        plain = len(identity) <= LONGEST_ID and _PLAIN.fullmatch(identity)
        found.append(identity if plain else f"step {number + 1}")
    return found


def _remarks(content: Content, number: int, face: CardFace) -> Sequence[str]:
    """A line with the comparison's sign and the card's flags, so that the graph can be read without colour."""
    parts = [content.sign(number), *[flag.text for flag in face.flags]]
    if face.count > 1:
        parts.append(f"×{face.count}")
    line = " · ".join(part for part in parts if part)
    return [line] if line else []


def _stacks(content: Content) -> list[list[int]]:
    """Groups of drift twins, by step number."""
    stacks = dict.fromkeys(content.stacks.values())
    return [[content.number[content.graph.index(identity)] for identity in stack] for stack in stacks]


def _spaced(figures: str) -> str:
    return figures.replace("  ", " · ")


def _hex(color: Color) -> str:
    return "#{:02X}{:02X}{:02X}".format(*color[:3])
