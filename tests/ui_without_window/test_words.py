"""The wording of the panels: the same figure is described the same way everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.comparison.family_tables import sum_row
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.folder.run_rows import summary_of
from opentine_gui.app.inspect.clipboard_text import totals_text
from opentine_gui.app.inspect.figures import totals_figures
from opentine_gui.app.inspect.integrity import statements, verdict
from opentine_gui.app.inspect.listed_runs import cost_and_time
from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.command_line.output import Terminal
from opentine_gui.command_line.verify import line_of
from opentine_gui.core import Totals
from opentine_gui.ui.panels.status import cost_words, time_words
from opentine_gui.ui.proposals.wording import pieces_of
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record, make_step


def test_a_time_that_was_not_recorded_is_not_claimed_to_be_nothing() -> None:
    assert time_words(Totals(), Totals(steps=2)) == "time not recorded"
    assert time_words(Totals(steps=1, duration=1.0), Totals(steps=1, duration=1.5)) == "2.5 s over all steps"


@pytest.mark.parametrize(("usage", "expected"), [({"input": 5}, "not priced"), ({}, "not recorded")])
def test_an_unknown_cost_has_one_name_in_every_panel(usage: dict[str, int | float], expected: str) -> None:
    record = make_record([make_step("a", cost=0.0, usage=usage, duration=0.0)])
    totals = record.totals
    assert totals_figures(totals)[0].value == sum_row("", totals).cost == expected
    assert expected in cost_words(Totals(), totals)[0]
    assert expected in cost_and_time(summary_of(Path("run.tine"), record)).split(" · ")[0]
    assert expected in totals_text(record)


def _without(value: dict[str, Any]) -> None:
    del value["metadata"]["integrity"]


def _other(value: dict[str, Any]) -> None:
    value["metadata"]["integrity"]["algorithm"] = "md5"


@pytest.mark.parametrize(
    ("change", "words", "role"),
    [
        (None, "Verified", "good"),
        (_without, "not verified: no digest to check", "human"),
        (_other, "not verified: digest cannot be used (unsupported algorithm)", "human"),
    ],
)
def test_only_a_run_whose_digest_was_compared_is_green(
    tmp_path: Path, change: Callable[[dict[str, Any]], None] | None, words: str, role: str
) -> None:
    bench = Bench(tmp_path)
    path = bench.write("run.tine", make_record([make_step("a")]))
    if change is not None:
        value = json.loads(path.read_text())
        change(value)
        path.write_text(json.dumps(value))
    document = bench.open("run.tine")
    assert verdict(document)[:2] == (words, role)
    bench.do("run.verify")
    assert bench.session.notices.list()[-1].level == ("good" if role == "good" else "warning")
    assert all(colour == "text" for _, colour in statements(document))
    bench.session.close()


def _cost(value: dict[str, Any]) -> None:
    next(iter(value["graph"]["steps"].values()))["cost"] = 9.0


def _payload(value: dict[str, Any]) -> None:
    next(iter(value["graph"]["steps"].values()))["inputs"] = {"text": "[REDACTED]"}


def _cut_ids(value: dict[str, Any]) -> None:
    identity = value["graph"]["order"][0]
    whole = json.loads(json.dumps(value).replace(identity, identity[:63]))
    value.clear()
    value.update(whole)


def _malformed(value: dict[str, Any]) -> None:
    value["metadata"]["integrity"]["digest"] = "zz"


def _marked(value: dict[str, Any]) -> None:
    value["metadata"]["unverified"] = [{"run_id": "x", "verdict": "MISMATCH", "digest": "mismatch"}]


@pytest.mark.parametrize("change", [_without, _other, _cost, _payload, _cut_ids, _malformed, _marked])
def test_the_window_and_the_command_say_the_same_in_the_same_colours(
    tmp_path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    bench = Bench(tmp_path)
    path = bench.write("run.tine", make_record([make_step("a")]))
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
    document = bench.open("run.tine")
    words, role, _ = verdict(document)
    found = document.verification
    assert found is not None
    line = line_of(found, found.verdict, path, Terminal(None, True))
    said, _, why = words.partition(": ")
    assert said == str(found.verdict) != "ok"
    assert [phrase for phrase in why.split("; ") if phrase not in line] == []
    code = {"good": 32, "human": 33, "bad": 31}[role]
    assert f"\x1b[{code}m{said}\x1b[0m" in line
    assert line.endswith("metadata (title, prompts, tags, origin) covered by nothing")
    bench.session.close()


def test_why_a_session_cannot_be_continued_is_reported_once() -> None:
    why = "A session of version 1 has no ids: open it in pi once, which writes it anew."
    proposal = ContinueProposal(None, None, "step", entry_of(""), problem=why)  # type: ignore[arg-type]
    assert pieces_of(proposal) == ((why, "bad"),)
