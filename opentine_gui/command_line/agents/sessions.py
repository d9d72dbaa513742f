"""`import` and `latest`: sessions of agents as `.tine` files, and the newest one of a folder in a window."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from opentine_gui.command_line import UNREADABLE
from opentine_gui.command_line.agents.secret_warning import warn_of_secrets
from opentine_gui.command_line.files import (
    STANDARD,
    all_listed,
    refuse_output,
    which_of_several,
    with_similar_name,
    write_standard_output,
)
from opentine_gui.command_line.open import open_window
from opentine_gui.command_line.output import Answer, complain, one_line
from opentine_gui.core import StorageError, TineError, encode
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted
from opentine_gui.importers import readers
from opentine_gui.importers.agents.listing import latest_session, places_of_this_machine
from opentine_gui.importers.agents.table import AGENTS, agent_named
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.parts import divide

MOST_NAMED = 6
"""Most types of records without a step that are named."""


def import_sessions(options: argparse.Namespace) -> int:
    """Write each FILE as a .tine file: one to OUT, several into the folder OUT; 2 when one cannot be read."""
    answer = Answer(options)
    paths = all_listed(options.files, answer)
    if paths is None:
        return answer.finish()
    several = len(paths) > 1
    if several and not os.path.isdir(options.output):
        answer.fail(StorageError("several sessions are written into a folder, and there is none of this name",
                                 path=options.output))  # fmt: skip
        return answer.finish()
    written: dict[Path, Path] = {}
    for path in paths:
        source, part = divide(path)
        output = options.output / f"{source.stem}{f'-{part}' if part else ''}.tine" if several else options.output
        try:
            if output in written:  # --force is for what was there before
                raise StorageError(f"it would replace what was just written of {written[output]}", path=output)
            refuse_output(argparse.Namespace(output=output, force=options.force, json=options.json), [source], answer)
            _import(path, output, answer, overwrite=options.force)
            written[output] = path
        except TineError as error:
            answer.fail(with_similar_name(error, source) if isinstance(error, StorageError) else error)
    return answer.finish()


def _import(path: Path, output: Path, answer: Answer, *, overwrite: bool) -> None:
    reading = readers.read_source(path)
    record = reading.record
    if said := which_of_several(path, record):
        answer.warn(said)
    if output == STANDARD:
        data = encode(record)
        write_standard_output(data)
        where, size = STANDARD, len(data)
    else:
        where = storage.write(output, record, overwrite=overwrite)
        size = where.stat().st_size
    steps = len(record.graph)
    report = reading.report
    answer.add(
        "imported",
        {
            "file": str(where),
            "source": str(path),
            "bytes": size,
            "run_id": record.run_id,
            "steps": steps,
            "records": report.records if report is not None else None,
            "skipped": report.skipped if report is not None else None,
            "bad_lines": report.bad_lines if report is not None else None,
            "remarks": report.remarks if report is not None else None,
        },
    )
    if not answer.as_json and where != STANDARD:
        print(f"{one_line(str(where))}: run {one_line(record.run_id)}, {counted(steps, 'step')}{_said(reading)}")
    for remark in report.remarks if report is not None else ():
        answer.warn(one_line(remark, 400))
    warn_of_secrets([divide(path)[0]], [record], record, answer)


def _said(reading: Reading) -> str:
    """The result of reading a session, after its number of steps."""
    report = reading.report
    if report is None:
        return ""
    said = f" from {counted(report.records, 'record')}"
    if report.skipped:
        most = sorted(report.skipped.items(), key=lambda pair: (-pair[1], pair[0]))
        named = ", ".join(f"{count:,} {one_line(name, 40)}" for name, count in most[:MOST_NAMED])
        more = ", …" if len(most) > MOST_NAMED else ""
        said += f"; without a step: {named}{more}"
    if report.bad_lines:
        said += f"; {counted(report.bad_lines, 'line')} not understood"
    return said


def open_latest(options: argparse.Namespace) -> int:
    """Open the newest session of a folder in a window, or with --print say where it is; 2 when there is none."""
    chosen = agent_named(options.agent) if options.agent else None
    agents = AGENTS if chosen is None else (chosen,)
    found = latest_session(options.folder, places_of_this_machine(), agents)
    if found is None:
        whose = f"{chosen.title} has" if chosen is not None else "no agent on this machine has"
        held = "held no session" if chosen is not None else "held a session"
        complain(f"{whose} {held} in {one_line(os.path.abspath(options.folder), 400)}")
        return UNREADABLE
    if options.print:
        print(one_line(str(found.path), 4096))
        return 0
    options.paths = [str(found.path)]
    return open_window(options)
