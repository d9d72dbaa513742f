"""`show` and `verify`: print what a run holds; check its ids and digest."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from opentine_gui.command_line import FINE, NOT_VERIFIED, REFUSED, UNREADABLE
from opentine_gui.command_line.output import complain, one_line
from opentine_gui.core import (
    NOT_EVERYTHING,
    RunRecord,
    StepVerdict,
    TineError,
    Verdict,
    Verification,
    short_id,
)
from opentine_gui.core import verify as verify_record
from opentine_gui.describe import step_titles
from opentine_gui.describe.comparison_words import totals_parts
from opentine_gui.describe.plain_values import run_values
from opentine_gui.importers import readers

TITLE_LENGTH = 60
FEW = 5
STATUS = {Verdict.VERIFIED: FINE, Verdict.NOT_VERIFIED: NOT_VERIFIED, Verdict.CONTRADICTED: REFUSED}
BY_WEIGHT = (FINE, NOT_VERIFIED, REFUSED, UNREADABLE)


def show(options: argparse.Namespace) -> int:
    """Print a run as JSON or as a table; 2 when it cannot be read."""
    try:
        record = readers.read_run(options.file)
        if options.json:
            json.dump(run_values(record), sys.stdout, indent=2, allow_nan=False)
            print()
        else:
            print_table(record)
    except TineError as error:
        complain(error)
        return UNREADABLE
    return FINE


def verify(options: argparse.Namespace) -> int:
    """Print one line per file; 2 if any cannot be read, else 1 if anything in any of them does not match.

    Else 3 if something in any of them could not be checked, else 0.
    """
    worst = FINE
    for path in options.files:
        name = one_line(str(path))
        try:
            found = verify_record(path)
        except TineError as error:
            print(f"{name}: cannot be read")
            complain(error)
            worst = UNREADABLE
            continue
        verdict = found.verdict if options.allow_redacted or not found.redacted else Verdict.CONTRADICTED
        why = f", {NOT_EVERYTHING}" if verdict is Verdict.NOT_VERIFIED else ""
        print(f"{name}: {verdict}{why}, {'; '.join(facts(found))}")
        worst = max(worst, STATUS[verdict], key=BY_WEIGHT.index)
    return worst


def facts(found: Verification) -> list[str]:
    """The result of a verification in short phrases, the digest first."""
    said = [one_line(found.digest.words, 200)]
    good = found.verdicts.count(StepVerdict.OK)
    said.append(f"{good:,} of {len(found.ids):,} step ids match")
    redacted = set(found.redacted)
    changed = [identity for identity in found.mismatches if identity not in redacted]
    if changed:
        said.append(f"changed: {some(changed)}")
    if found.redacted:
        said.append(f"redacted, so no longer matching: {some(found.redacted)}")
    if found.not_checkable:
        said.append(f"{found.not_checkable:,} ids of another form cannot be checked")
    if found.fork_id is not None:
        said.append("fork id confirmed" if found.fork_id else "fork id does not follow from the fork record")
    if found.signed:
        said.append("signature not checked")
    return said


def some(identities: Sequence[str]) -> str:
    """The first few ids, short, and how many more there are."""
    named = ", ".join(one_line(short_id(identity)) for identity in identities[:FEW])
    return named if len(identities) <= FEW else f"{named} and {len(identities) - FEW:,} more"


def print_table(record: RunRecord) -> None:
    """Print one line per step: id, kind, figures, title, refs; then the totals."""
    graph = record.graph
    print(f"{one_line(record.title)}  ({one_line(record.run_id, 80)}, {record.status.value})")
    names: dict[str, list[str]] = {}
    for name, identity in record.refs.items():
        names.setdefault(identity, []).append(one_line(name, 40))
    for position in range(len(graph)):
        step = graph.step(position)
        flags = f"  [{', '.join(names[step.id])}]" if step.id in names else ""
        title = one_line(step_titles.title(step), TITLE_LENGTH)
        print(f"{one_line(step.short_id):<12}  {step.shown_kind:<8}  {step_titles.figures(step):<28}  {title}{flags}")
    if record.metrics_reset:
        print("  ".join(totals_parts(record.shown_totals, since_fork=True)))
    print("  ".join(totals_parts(record.totals)) + ("  the whole run" if record.metrics_reset else ""))
