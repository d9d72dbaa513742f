"""The highlighted steps: those a search found, else those of the selected file, else those of an area of time."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.heat_rows import heat_of, named_steps
from opentine_gui.app.session import Session
from opentine_gui.core import Graph


class LitSteps(NamedTuple):
    """Steps of a graph: `steps` has a 1 for each, by position. `revision` changes with them."""

    graph: Graph
    steps: bytearray
    revision: tuple[int, ...]


def lit_steps(session: Session, document: Document, graph: Graph) -> LitSteps | None:
    """What is highlighted in the graph that a view shows; None for nothing."""
    strip = document.strip
    revision = (session.search.lit_revision, document.picked_revision, strip.revision)
    hits, picked = session.search.hits_of(document), document.picked_file
    if hits is not None and hits.record is not None and hits.record.graph is graph and hits.steps:
        return LitSteps(graph, hits.lit, revision)
    if picked is not None and picked.graph is graph:
        return LitSteps(graph, picked.lit, revision)
    named = session.view.heat_name
    if named:
        found = heat_of(session, document)
        lit = named_steps(session, document, found, named) if found is not None else None
        if lit is not None and len(lit) == len(graph):
            return LitSteps(graph, lit, (*revision, hash(named)))
    if strip.area is not None and strip.graph is graph:
        return LitSteps(graph, strip.lit, revision)
    return None
