"""Warns that a file made from an agent's session contains what looks like a secret; it stops nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opentine_gui.command_line.files import STANDARD, STANDARD_INPUT
from opentine_gui.command_line.output import Answer, one_line
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.analysis.secret_words import MOST, secrets_in
from opentine_gui.importers import readers

MOST_NAMED = 6
"""Most steps that a warning names."""
SHOWN_OF_ID = 12


def is_session(path: Path, record: RunRecord) -> bool:
    """Whether a run was read from a session itself: for a `.tine` made from one, the warning came when it was
    written."""
    if path == STANDARD:
        return record.is_imported
    try:
        return readers.reader_for(path) is not readers.TINE
    except TineError:
        return False


def warn_of_secrets(sources: Sequence[Path], records: Sequence[RunRecord], written: RunRecord, answer: Answer) -> None:
    """Warn on stderr of each written step that may contain a secret, if one of the sources is a session.

    The warning says what it looks like, never the secret itself.
    """
    named = [path for path, record in zip(sources, records, strict=True) if is_session(path, record)]
    if named:
        _warn(STANDARD_INPUT if named[0] == STANDARD else named[0].name, written, answer)


def _warn(name: str, record: RunRecord, answer: Answer) -> None:
    found = secrets_in(record.graph)
    kinds: dict[str, list[str]] = {}
    for secret in found:
        kinds.setdefault(secret.step, []).append(secret.kind)
    for step in list(kinds)[:MOST_NAMED]:
        short = step.rpartition(":")[2][:SHOWN_OF_ID]
        kind = record.graph.step(step).shown_kind  # not its title, which may be the secret
        answer.warn(f"{one_line(name, 200)}: step {short} ({one_line(kind, 20)}) may hold {', '.join(kinds[step])}")
    left = len(kinds) - MOST_NAMED
    if left > 0:
        least = "at least " if len(found) >= MOST else ""
        noun = "step" if left == 1 else "steps"
        answer.warn(
            f"{one_line(name, 200)}: {least}{left:,} more {noun} may hold a secret; whoever gets it can read it"
        )
