"""`fork` and `merge`: new runs from old ones, through the same functions the application's actions use."""

from __future__ import annotations

import argparse
import secrets
import time
from typing import Any

from opentine_gui.command_line import FINE, REFUSED, UNREADABLE
from opentine_gui.command_line.files import read_all, refuse_output
from opentine_gui.command_line.output import complain, one_line, warn
from opentine_gui.core import RunRecord, StepKind, TineError, preview_merge
from opentine_gui.core import fork as fork_record
from opentine_gui.core import fork_and_edit as fork_record_and_edit
from opentine_gui.core import merge as merge_records
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted


def fork(options: argparse.Namespace) -> int:
    """Write a fork of FILE; 1 when it is refused, 2 when FILE cannot be read."""
    records = read_all([options.file])
    if records is None:
        return UNREADABLE
    (record,) = records
    try:
        refuse_output(options.output, [options.file], options.force)
        point = record.resolve(options.point)
        named: dict[str, Any] = {"new_run_id": options.run_id, "title": options.title, "tags": options.tags}
        moment: dict[str, Any] = {"now": time.time(), "nonce": secrets.token_hex(16)}
        if options.edit_inputs is None:
            forked = fork_record(record, point, **named, **moment)
        else:
            forked = fork_record_and_edit(record, point, inputs=options.edit_inputs, **named, **moment)
        return write(forked, options)
    except TineError as error:
        complain(error)
        return REFUSED


def merge(options: argparse.Namespace) -> int:
    """Write a merge of the parents found in FILEs; 1 when it is refused, 2 when a FILE cannot be read."""
    records = read_all(options.files)
    if records is None:
        return UNREADABLE
    try:
        refuse_output(options.output, options.files, options.force)
        parents = options.parents
        kind = StepKind(options.kind)
        for warning in preview_merge(records, parents, allow_ancestor=options.allow_ancestor).warnings:
            warn(warning)
        merged = merge_records(
            records,
            parents,
            kind=kind,
            inputs=options.inputs,
            outputs=options.outputs,
            allow_ancestor=options.allow_ancestor,
            new_run_id=options.run_id,
            title=options.title,
            new_run=True,
            now=time.time(),
            nonce=secrets.token_hex(16),
        )
        return write(merged, options)
    except TineError as error:
        complain(error)
        return REFUSED


def write(record: RunRecord, options: argparse.Namespace) -> int:
    """Write the new run; print its path, id and number of steps."""
    target = storage.write(options.output, record, overwrite=options.force)
    print(f"{one_line(str(target))}: run {one_line(record.run_id)}, {counted(len(record.graph), 'step')}")
    return FINE
