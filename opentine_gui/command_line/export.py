"""`export`: runs, comparisons and families as pictures, pages, graphs, reports and data."""

from __future__ import annotations

import argparse
import secrets
import time
from pathlib import Path

from msgspec.structs import replace

from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.agents.secret_warning import warn_of_secrets
from opentine_gui.command_line.files import (
    STANDARD,
    STANDARD_INPUT,
    all_listed,
    candidates,
    read_all,
    refuse_output,
    write_standard_output,
)
from opentine_gui.command_line.output import Answer
from opentine_gui.core import TineError
from opentine_gui.core.analysis.hidden_secrets import said as words_of_hidden
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import format_bytes
from opentine_gui.export import export as exported
from opentine_gui.export import export_to_fit, format_of, mermaid_limits, mode_of, request_of, without_secrets
from opentine_gui.export.request import ExportError
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import THEMES

PICTURES = ("svg", "png")


def export(options: argparse.Namespace) -> int:
    """Write one file; 1 when it is refused, 2 when a source cannot be read."""
    answer = Answer(options)
    try:
        form = wanted_format(options)
        paths = all_listed(options.files, answer)
        if paths is None:
            return answer.finish()
        if options.groups:
            refuse_groups(options, form, len(paths))
        if options.hide_secrets and form == "tine":
            raise ExportError("nothing is hidden in a .tine: its steps would no longer be what was recorded")
        refuse_output(options, paths, answer)
    except TineError as error:
        answer.fail(error, REFUSED)
        return answer.finish()
    records = read_all(paths, answer)
    if records is None:
        return answer.finish()
    try:
        request = request_of(
            records,
            compared=options.compare or options.card,
            steps=options.steps,
            names=names_of(paths),
            files=tuple(STANDARD_INPUT if path == STANDARD else path.name for path in paths),
            direction=options.direction,
            theme=THEMES[options.theme],
            scale=options.scale or 1.0,
            title=options.title or "",
            card=options.card,
            metrics=FontMetrics(fallback_paths),
            now=time.time(),
            nonce=secrets.token_hex(16),
        )
        request, hidden = without_secrets(request) if options.hide_secrets else (request, 0)
        if options.groups:
            from opentine_gui.app.canvas.folded.windowless import picture_of_groups  # half of the window: loaded late

            request = replace(request, view=picture_of_groups(request.records[0], options.direction))
        data, scale = (exported(request, form), options.scale) if options.scale else export_to_fit(request, form)
        target = STANDARD
        if options.output == STANDARD:
            write_standard_output(data)
        else:
            mode = mode_of(form)
            target = storage.write_bytes_atomic(options.output, data, overwrite=options.force, mode=mode)
        if not options.hide_secrets:
            for path, record in zip(paths, records, strict=True):
                warn_of_secrets([path], [record], record, answer)
        said = f"{form}, {format_bytes(len(data))}"
        if scale < request.scale:
            said += f", at {scale:.0%} of its size: a {form.upper()} holds no more"
            said += "" if options.groups or len(records) > 1 else "; --groups draws it in groups"
        looked = words_of_hidden(hidden)
        said += f"; {looked[:1].lower()}{looked[1:]}" if options.hide_secrets else ""
        if form == "mermaid" and mermaid_limits(data):
            answer.warn(mermaid_limits(data))
        answer.written(target, said, {"format": form, "bytes": len(data)})
    except TineError as error:
        answer.fail(error, REFUSED, *candidates(error, records))
    return answer.finish()


def wanted_format(options: argparse.Namespace) -> str:
    """The format that was asked for, by `--format` (an ending) or by OUT's ending. ExportError."""
    if options.format:
        return format_of(f"x.{options.format}")
    if options.output == STANDARD:
        raise ExportError("standard output has no ending that says the format; add --format, for example --format svg")
    return format_of(options.output)


def refuse_groups(options: argparse.Namespace, form: str, runs: int) -> None:
    """ExportError where groups of steps cannot be drawn."""
    if runs != 1:
        raise ExportError(f"--groups draws one run, and {runs:,} are given")
    if form not in PICTURES:
        raise ExportError(f"groups of steps are a picture ({' or '.join(PICTURES)}), not {form}")
    for name, given in (("--compare", options.compare), ("--card", options.card), ("--steps", options.steps)):
        if given:
            raise ExportError(f"--groups draws one whole run: it does not go with {name}")


def names_of(paths: list[Path]) -> tuple[str, ...]:
    """Names for the runs: the file name, with its folder where two files have the same name."""
    stems = [STANDARD_INPUT if path == STANDARD else path.name.removesuffix(".tine") for path in paths]
    return tuple(
        f"{path.absolute().parent.name}/{stem}" if stems.count(stem) > 1 else stem
        for path, stem in zip(paths, stems, strict=True)
    )
