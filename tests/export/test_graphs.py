"""Mermaid, DOT and GraphML: every step and link is there, and no recorded text can be anything but a label."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import networkx as nx
import pytest
from hypothesis import given, settings

from opentine_gui.core import RunRecord
from opentine_gui.export import ExportRequest, export, request_of
from opentine_gui.export.content import Content
from opentine_gui.export.graphs import (
    MERMAID_CHARACTERS,
    MERMAID_LINKS,
    entities,
    mermaid_limits,
    node_names,
    step_facts,
)
from opentine_gui.export.picture.drawing import layout_of
from tests.conftest import MakeRun
from tests.core.run_shapes import runs
from tests.export.conftest import NAMES, answered_twice
from tests.export.hostile import ATTACKS, hostile_pair, hostile_run

DOT = shutil.which("dot")
NODE = re.compile(r'  (s\w*)\["([^"\n]*)"\]:::(\w+)')
LINK = re.compile(r"  (s\w*) (-->|-\.->) (s\w*)")
CLASS = re.compile(r"  classDef (\w+) fill:#[0-9A-F]{6},stroke:#[0-9A-F]{6},stroke-width:2px,color:#[0-9A-F]{6}")
FRAME = re.compile(r'  subgraph twins\d+\["([^"\n]*)"\]')
COMMENT = re.compile(r"\s*%% [^{}]*")
IS = re.compile(r"  %% (s\w*) is (.*)")


def mermaid(text: str) -> tuple[dict[str, str], list[tuple[str, str]], dict[str, str]]:
    """(labels by node, links, full ids by node) of a flowchart; anything but the few known forms of line fails."""
    nodes: dict[str, str] = {}
    links: list[tuple[str, str]] = []
    ids: dict[str, str] = {}
    lines = [line for line in text.split("\n")[:-1] if not line.startswith("%% ")]
    assert lines[0] in ("flowchart TD", "flowchart LR")
    for line in lines[1:]:
        if found := NODE.fullmatch(line):
            assert found[1] not in nodes
            nodes[found[1]] = found[2]
        elif found := LINK.fullmatch(line):
            links.append((found[1], found[3]))
        elif FRAME.fullmatch(line) or line == "  end" or (line.startswith("    ") and line.strip() in nodes):
            continue
        elif found := IS.fullmatch(line):
            ids[found[1]] = found[2]
        else:
            assert CLASS.fullmatch(line) or COMMENT.fullmatch(line), line
    return nodes, links, ids


def wanted_links(record: RunRecord) -> set[tuple[str, str]]:
    return {(parent, step.id) for step in record.graph for parent in step.parent_ids}


@given(runs(smallest=1))
@settings(max_examples=40)
def test_every_step_and_link_is_in_all_three(record: RunRecord) -> None:
    request = ExportRequest(records=(record,))
    nodes, links, ids = mermaid(export(request, "mermaid").decode())
    assert set(nodes) == set(ids)
    assert set(ids.values()) == set(record.graph.ids)
    assert {(ids[one], ids[two]) for one, two in links} == wanted_links(record)
    assert dot(export(request, "dot").decode()) == (set(record.graph.ids), wanted_links(record))
    graph = nx.parse_graphml(export(request, "graphml").decode())
    assert (set(graph), set(graph.edges)) == (set(record.graph.ids), wanted_links(record))


def written_by_networkx(request: ExportRequest) -> bytes:
    """The same nodes, links and values through networkx's own writer, which makes a tree of them all."""
    content = Content(request)
    names, layout = node_names(content), layout_of(content)
    graph: nx.DiGraph[str] = nx.DiGraph(title=content.title)
    for number, name in enumerate(names):
        x, y = layout.centers[layout.index[content.identity(number)]].tolist()
        graph.add_node(name, **step_facts(content, number), x=x, y=y)
    for link in content.links:
        graph.add_edge(names[link.source], names[link.target], through=link.through)
    text = "\n".join(nx.generate_graphml(graph))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


@given(runs(smallest=1))
@settings(max_examples=40)
def test_graphml_is_what_networkx_writes_but_line_by_line(record: RunRecord) -> None:
    requests = [ExportRequest(records=(record,)), ExportRequest(records=(record,), steps=record.graph.ids[::2])]
    for request in requests:
        assert export(request, "graphml") == written_by_networkx(request)


def test_graphml_of_hostile_text_is_what_networkx_writes() -> None:
    for request in (ExportRequest(records=(hostile_run(),)), request_of(hostile_pair(), compared=True)):
        assert export(request, "graphml") == written_by_networkx(request)


def dot(text: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Nodes and links of a digraph, by the grammar of the language: strings, "->", and attribute lists."""
    token = re.compile(r'\s*("(?:[^"\\]|\\.)*"|->|[\[\]{};,=]|[A-Za-z0-9.#]+)', re.DOTALL)
    tokens, place = [], 0
    while text[place:].strip():
        found = token.match(text, place)
        assert found, text[place : place + 60]
        tokens.append(found[1])
        place = found.end()
    assert tokens[:3] == ["digraph", "run", "{"] and tokens[-1] == "}"
    statements: list[list[str]] = [[]]
    for part in tokens[3:-1]:
        if part == ";":
            statements.append([])
        else:
            statements[-1].append(part)
    nodes, links = set(), set()
    for statement in filter(None, statements):
        head = statement[: statement.index("[")] if "[" in statement else statement
        if head[0] in ("graph", "node", "edge"):
            continue
        names = [json.loads(name) for name in head if name != "->"]
        assert head[1:2] in ([], ["->"])
        if len(names) == 1:
            nodes.add(names[0])
        else:
            links.add((names[0], names[1]))
    return nodes, links


def test_hostile_text_is_only_ever_a_label() -> None:
    run = hostile_run()
    request = request_of([run])
    nodes, links, _ = mermaid(export(request, "mermaid").decode())
    assert (len(nodes), len(links)) == (len(run.graph), len(wanted_links(run)))
    for label in nodes.values():
        assert not set(re.sub(r"<br/>|#\d+;", "", label)) & set('<>&"`{}[]|;#%$\\*_')
    assert dot(export(request, "dot").decode()) == (set(run.graph.ids), wanted_links(run))
    graph = nx.parse_graphml(export(request, "graphml").decode())
    assert set(graph) == set(run.graph.ids)
    said = [data["title"] for _, data in graph.nodes(data=True)]
    assert any("<img src=x" in words for words in said)


def test_a_label_that_mermaid_would_take_for_a_list_is_none() -> None:
    assert entities("12. list") == "12#46; list"
    assert entities("- list") == "#45; list"
    assert entities("2.5 s - x") == "2.5 s - x"


def test_a_label_holds_no_formula() -> None:
    assert entities("$$$x$") == "#36; #36; #36;x#36;"


def test_ids_of_another_form_get_names_that_cannot_break_out() -> None:
    odd = RunRecord(run_id="odd", graph=hostile_run().graph)
    for number, identity in enumerate(('x"]; evil -->', "a\nb", "", "i" * 10_000, "ok:1", "\\")):
        object.__setattr__(odd.graph, "ids", (*odd.graph.ids[:number], identity, *odd.graph.ids[number + 1 :]))
    content = Content(ExportRequest(records=(odd,)))
    assert node_names(content)[:6] == ["step 1", "step 2", "step 3", "step 4", "ok:1", "step 6"]
    names, links, _ = mermaid(export(ExportRequest(records=(odd,)), "mermaid").decode())
    assert len(names) == len(odd.graph)
    assert len(links) == len(content.links)


@pytest.mark.skipif(DOT is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("compared", [False, True])
def test_graphviz_draws_what_we_write(compared: bool) -> None:
    pair = hostile_pair()
    request = request_of(pair, compared=True) if compared else request_of([pair[0]])
    answer = subprocess.run(
        [str(DOT), "-Tsvg"], input=export(request, "dot"), capture_output=True, timeout=60, check=True
    )
    assert answer.stderr == b""
    drawn = ElementTree.fromstring(answer.stdout)
    titles = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert set(pair[0].graph.ids) <= set(titles)
    assert not [element for element in drawn.iter() if element.tag.endswith("script") or "onerror" in element.attrib]


def test_graphml_has_typed_facts_and_leaves_out_what_was_not_recorded(research: RunRecord, retry: RunRecord) -> None:
    graph = nx.parse_graphml(export(request_of([research, retry], compared=True, names=NAMES), "graphml").decode())
    plan = graph.nodes[research.graph.resolve("dee60220")]
    assert (plan["cost"], plan["tokens"], plan["mark"], plan["runs"]) == (0.002364, 412, "same", ", ".join(NAMES))
    first = graph.nodes[research.graph.resolve("2a55e61c")]
    assert "cost" not in first and "tokens" not in first
    assert (first["mark"], first["root_divergence"], first["failed"]) == ("only a", 1, True)
    assert {type(data["x"]) for _, data in graph.nodes(data=True)} == {float}


def test_steps_left_out_between_two_are_a_dotted_link(research: RunRecord) -> None:
    request = request_of([research], steps=["f6a7fb83", "2a55e61c"])
    assert "sf6a7fb83d815 -.-> s2a55e61cfbd9" in export(request, "mermaid").decode()
    assert "style=dashed" in export(request, "dot").decode()


def test_a_flowchart_mermaid_would_refuse_says_which_settings_to_raise(make_run: MakeRun) -> None:
    run = make_run({str(number): str(number - 1) if number else "" for number in range(MERMAID_LINKS + 2)})
    text = export(request_of([run]), "mermaid").decode()
    assert text.startswith("%% 501 links")
    assert "maxEdges" in text.split("\n")[0]


def test_comments_that_alone_make_a_flowchart_too_large_are_left_out(make_run: MakeRun) -> None:
    def written(steps: int) -> str:
        run = make_run({f"{number:06}": f"{number - 1:06}" if number else "" for number in range(steps)})
        return export(request_of([run]), "mermaid").decode()

    assert written(20).count(" is ") == 20, "where there is room the ids are told"
    count = next(steps for steps in range(200, 480, 10) if " is " not in written(steps))
    shorter = written(count)
    assert not mermaid_limits(shorter.encode()) and len(shorter) <= MERMAID_CHARACTERS
    nodes, links, ids = mermaid(shorter)
    assert (len(nodes), len(links), ids) == (count, count - 1, {})
    assert mermaid_limits(written(MERMAID_LINKS + 2).encode()).startswith("501 links")


def test_every_attack_is_in_the_hostile_run() -> None:
    assert {step.inputs["text"] for step in hostile_run().graph} == set(ATTACKS)


def test_drift_twins_stand_in_one_frame() -> None:
    request = request_of(answered_twice(), compared=True)
    (stack,) = set(Content(request).stacks.values())
    lines = export(request, "mermaid").decode().split("\n")
    start = lines.index('  subgraph twins1["same request, 2 outcomes"]')
    assert [line.strip() for line in lines[start + 1 : start + 4]] == [*(f"s{name[:12]}" for name in stack), "end"]
    (frame,) = [line for line in export(request, "dot").decode().split("\n") if "subgraph" in line]
    assert all(f'"{name}";' in frame for name in stack)
