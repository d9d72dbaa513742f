"""Edits of programs, and whether anything was run after them: one rule for the end of a run and for its suspects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opentine_gui.core.analysis.files.touched_files import Touched
from opentine_gui.core.analysis.suspicion.call_facts import PROSE
from opentine_gui.core.graph.calls.call_roles import Call, Role
from opentine_gui.core.graph.graph import Graph

_OF_THE_OPEN_FILE = frozenset(["edit", "insert", "str_replace", "undo_edit"])
"""Tools of SWE-agent that change the file which is open, and name none."""


def program_edits(graph: Graph, path: Sequence[int], calls: Mapping[int, Call], touched: Touched) -> list[int]:
    """The steps on a path that changed a file other than prose, ascending; a file that was deleted needs no check."""
    on_path = set(path)
    changes = {
        step
        for file in touched.files
        if not file.path.lower().endswith(PROSE)
        for step in set(file.changes).difference(file.removals)
    }
    for step, call in calls.items():
        nameless = call.role is Role.EDIT and not call.path and call.tool.lower() in _OF_THE_OPEN_FILE
        if nameless and not graph.failed[step] and step not in graph.stopped:
            changes.add(step)
    return sorted(changes & on_path)


def last_command(graph: Graph, calls: Mapping[int, Call]) -> int:
    """The last command of a shell that checked, or may have run what was edited; -1 for none. It may have failed."""
    ran = (
        step
        for step, call in calls.items()
        if call.role in (Role.TEST, Role.RUN) and call.command and step not in graph.stopped
    )
    return max(ran, default=-1)
