"""`export`: runs, comparisons and families as pictures, pages, graphs, reports and data."""

from __future__ import annotations

import argparse
import secrets
import time
from pathlib import Path

from opentine_gui.command_line import FINE, REFUSED, UNREADABLE
from opentine_gui.command_line.files import read_all, refuse_output
from opentine_gui.command_line.output import complain, one_line
from opentine_gui.core import TineError
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import format_bytes
from opentine_gui.export import export as exported
from opentine_gui.export import format_of, request_of
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import THEMES

NEW_FILE_MODE = 0o644
"""Exports are meant to be shared; an exported `.tine` keeps the file mode of runs."""


def export(options: argparse.Namespace) -> int:
    """Write one file; 1 when it is refused, 2 when a source cannot be read."""
    try:
        form = format_of(options.output)
        refuse_output(options.output, options.files, options.force)
    except TineError as error:
        complain(error)
        return REFUSED
    records = read_all(options.files)
    if records is None:
        return UNREADABLE
    try:
        request = request_of(
            records,
            compared=options.compare or options.card,
            steps=options.steps,
            names=names_of(options.files),
            files=tuple(path.name for path in options.files),
            direction=options.direction,
            theme=THEMES[options.theme],
            scale=options.scale,
            title=options.title or "",
            card=options.card,
            metrics=FontMetrics(fallback_paths),
            now=time.time(),
            nonce=secrets.token_hex(16),
        )
        data = exported(request, form)
        mode = storage.NEW_FILE_MODE if form == "tine" else NEW_FILE_MODE
        target = storage.write_bytes_atomic(options.output, data, overwrite=options.force, mode=mode)
    except TineError as error:
        complain(error)
        return REFUSED
    print(f"{one_line(str(target))}: {form}, {format_bytes(len(data))}")
    return FINE


def names_of(paths: list[Path]) -> tuple[str, ...]:
    """Names for the runs: the file name, with its folder where two files have the same name."""
    stems = [path.name.removesuffix(".tine") for path in paths]
    return tuple(
        f"{path.absolute().parent.name}/{stem}" if stems.count(stem) > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    )
