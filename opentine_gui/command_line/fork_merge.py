"""`fork` and `merge`: new runs from old ones, through the same functions the application's actions use."""

from __future__ import annotations

import argparse
import secrets
import time
from typing import Any

from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.agents.secret_warning import warn_of_secrets
from opentine_gui.command_line.files import (
    STANDARD,
    all_listed,
    candidates,
    read_all,
    refuse_output,
    write_standard_output,
)
from opentine_gui.command_line.output import Answer, one_line
from opentine_gui.core import LookupFailure, RunRecord, StepKind, TineError, encode, preview_merge
from opentine_gui.core import fork as fork_record
from opentine_gui.core import fork_and_edit as fork_record_and_edit
from opentine_gui.core import merge as merge_records
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted


def fork(options: argparse.Namespace) -> int:
    """Write a fork of FILE; 1 when it is refused, 2 when FILE cannot be read."""
    answer = Answer(options)
    records = read_all([options.file], answer)
    if records is None:
        return answer.finish()
    (record,) = records
    try:
        refuse_output(options, [options.file], answer)
        point = record.resolve(options.point)
        named: dict[str, Any] = {"new_run_id": options.run_id, "title": options.title, "tags": options.tags}
        moment: dict[str, Any] = {"now": time.time(), "nonce": secrets.token_hex(16)}
        if options.edit_inputs is None:
            forked = fork_record(record, point, **named, **moment)
        else:
            forked = fork_record_and_edit(record, point, inputs=options.edit_inputs, **named, **moment)
        write(forked, options, answer)
        warn_of_secrets([options.file], records, forked, answer)
    except LookupFailure as error:
        answer.fail(error.at_path(options.file), REFUSED, *candidates(error, records))
    except TineError as error:
        answer.fail(error, REFUSED, *candidates(error, records))
    return answer.finish()


def merge(options: argparse.Namespace) -> int:
    """Write a merge of the parents found in FILEs; 1 when it is refused, 2 when a FILE cannot be read."""
    answer = Answer(options)
    paths = all_listed(options.files, answer)
    records = None if paths is None else read_all(paths, answer)
    if paths is None or records is None:
        return answer.finish()
    try:
        refuse_output(options, paths, answer)
        parents = options.parents
        for warning in preview_merge(records, parents, allow_ancestor=options.allow_ancestor).warnings:
            answer.warn(warning)
        merged = merge_records(
            records,
            parents,
            kind=StepKind(options.kind),
            inputs=options.inputs,
            outputs=options.outputs,
            allow_ancestor=options.allow_ancestor,
            new_run_id=options.run_id,
            title=options.title,
            new_run=True,
            now=time.time(),
            nonce=secrets.token_hex(16),
        )
        write(merged, options, answer)
        warn_of_secrets(paths, records, merged, answer)
    except TineError as error:
        answer.fail(error, REFUSED, *candidates(error, records))
    return answer.finish()


def write(record: RunRecord, options: argparse.Namespace, answer: Answer) -> None:
    """Write the new run and print its path, id and number of steps."""
    if options.output == STANDARD:
        data = encode(record)
        write_standard_output(data)
        where, size = STANDARD, len(data)
    else:
        where = storage.write(options.output, record, overwrite=options.force)
        size = where.stat().st_size
    steps = len(record.graph)
    answer.written(
        where,
        f"run {one_line(record.run_id)}, {counted(steps, 'step')}",
        {"format": "tine", "bytes": size, "run_id": record.run_id, "steps": steps},
    )
