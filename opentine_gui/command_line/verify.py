"""`verify`: check the ids and the digest of runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from opentine_gui.command_line import FINE, NOT_VERIFIED, REFUSED
from opentine_gui.command_line.files import listed, read_run
from opentine_gui.command_line.output import Answer, Terminal, one_line, terminal
from opentine_gui.core import (
    NOT_EVERYTHING,
    FormatError,
    RunRecord,
    StepVerdict,
    StorageError,
    TineError,
    Verdict,
    Verification,
)
from opentine_gui.core import verify as verify_record
from opentine_gui.core.files import storage
from opentine_gui.core.files.origin import verdict_of
from opentine_gui.core.files.verify import phrases, with_origins
from opentine_gui.describe.numbers import counted
from opentine_gui.importers import readers

STATUS = {Verdict.VERIFIED: FINE, Verdict.NOT_VERIFIED: NOT_VERIFIED, Verdict.CONTRADICTED: REFUSED}
COLOURS = {Verdict.VERIFIED: "green", Verdict.NOT_VERIFIED: "yellow", Verdict.CONTRADICTED: "red"}


def verify(options: argparse.Namespace) -> int:
    """Print one line per file; 2 if any cannot be read, else 1 if anything in any of them does not match.

    Else 3 if something in any of them could not be checked, else 0.
    """
    answer = Answer(options)
    screen = terminal()
    counts: dict[str, int] = {}
    for path in listed(options.files, answer):
        try:
            found = verify_record(read_run(path, _read))
        except TineError as error:
            if not options.json:
                said = "cannot be verified" if isinstance(error, NothingToCheck) else "cannot be read"
                print(f"{one_line(str(path))}: {screen.styled(said, 'red')}")
            answer.fail(error)
            counts["not readable"] = counts.get("not readable", 0) + 1
            continue
        own = verdict_of(found.digest.verdict, found.verdicts, found.fork_id, allow_redacted=options.allow_redacted)
        verdict = with_origins(own, found.origins)
        answer.now(STATUS[verdict])
        answer.add("verification", values_of(found, verdict, path))
        counts[str(verdict)] = counts.get(str(verdict), 0) + 1
        if not options.json:
            print(line_of(found, verdict, path, screen))
    if sum(counts.values()) > 1 and not options.json:
        parts = ", ".join(f"{number:,} {words}" for words, number in counts.items())
        print(f"{counted(sum(counts.values()), 'file')}: {parts}")
    return answer.finish()


class NothingToCheck(StorageError):
    """A file of another program, which holds nothing to check it against."""


def _read(path: Path) -> RunRecord:
    """The run in a `.tine` file. NothingToCheck for another program's file, StorageError for one that is unreadable."""
    try:
        return storage.read(path)
    except FormatError as error:
        reader = readers.reader_for(path)
        if reader is readers.TINE:
            raise
        why = f"a session of {reader.title} has no digest and no step ids to check; `import` makes a sealed copy"
        raise NothingToCheck(why, path=path) from error


def line_of(found: Verification, verdict: Verdict, path: Path, screen: Terminal) -> str:
    """The result for one file: its name, the verdict, the facts."""
    why = f", {NOT_EVERYTHING}" if verdict is Verdict.NOT_VERIFIED else ""
    said = "; ".join(one_line(phrase, 600) for phrase in phrases(found))
    return f"{one_line(str(path))}: {screen.styled(str(verdict), COLOURS[verdict])}{why}, {said}"


def values_of(found: Verification, verdict: Verdict, path: Path) -> dict[str, Any]:
    """The result for one file as plain JSON values."""
    return {
        "file": str(path),
        "run_id": found.run_id,
        "verdict": str(verdict),
        "digest": str(found.digest.verdict),
        "steps": len(found.ids),
        "matching_steps": found.verdicts.count(StepVerdict.OK),
        "mismatching_steps": list(found.mismatches),
        "redacted_steps": list(found.redacted),
        "not_checkable_steps": found.not_checkable,
        "fork_id_follows": found.fork_id,
        "signed": found.signed,
        "unverified_origins": list(found.origins),
    }
