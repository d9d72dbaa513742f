"""An export without secrets has none of them in any format, and is the same in everything else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from opentine_gui.core import RunRecord, compare, family_of
from opentine_gui.export import CARD_FORMATS, FORMATS, export, request_of, without_secrets
from tests.core.analysis.call_runs import Recording
from tests.scene.scenes import METRICS

KEY = "ghp_" + "Abc123Def456Ghi789Jkl012Mno345Pqr678"
PASSWORD = "hunter22x"
WRITTEN = [form for form in FORMATS if form not in ("tine", "png")]


def run(answer: str, run_id: str) -> RunRecord:
    made = Recording()
    made.ask(f"Use {KEY}")
    made.call("Bash", {"command": f"curl -u me:{KEY} x"}, {"password": PASSWORD, "text": f"password={PASSWORD}"})
    made.call("Edit", {"file_path": "/w/.env", "old_string": "A=1", "new_string": f"TOKEN={KEY}"}, "ok")
    made.say(answer)
    return made.record(run_id=run_id, metadata={"title": f"With {KEY}", "user_prompt": f"Use {KEY}"})


@pytest.mark.parametrize("form", WRITTEN)
def test_no_format_has_a_secret_and_the_request_is_the_same_otherwise(form: str) -> None:
    request = request_of([run("Done", "a")], names=[f"run {KEY}"], title=f"About {KEY}", metrics=METRICS)
    assert KEY.encode() in export(request, form).replace(b"\\_", b"_")
    hidden, count = without_secrets(request)
    data = export(hidden, form).replace(b"\\_", b"_")
    for secret in (KEY, KEY[4:], PASSWORD):
        assert secret.encode() not in data
    assert "[GitHub token]" in data.decode().replace("\\[", "[").replace("\\]", "]")
    assert count == 9
    assert hidden.records[0].graph.ids == request.records[0].graph.ids
    assert KEY in request.records[0].title, "what is shown and saved is not changed"


@pytest.mark.parametrize("form", [form for form in WRITTEN if form in CARD_FORMATS])
def test_nor_has_a_comparison_or_its_card(form: str) -> None:
    records = (run(f"Done with {KEY}", "a"), run(f"Done with sk-ant-{KEY}", "b"))
    for card in (False, True):
        files = (f"{KEY}.tine", "b.tine")
        request = request_of(records, compared=True, card=card, files=files, metrics=METRICS)
        hidden, _ = without_secrets(request)
        assert hidden.comparison is not None and hidden.comparison.marks == compare(*records).marks
        data = export(hidden, form).replace(b"\\_", b"_")
        assert KEY.encode() not in data and PASSWORD.encode() not in data


def test_nor_has_a_family() -> None:
    records = (run("Done", "a"), run("Not done", "b"))
    request = replace(request_of(records), family=family_of(records))
    hidden, _ = without_secrets(request)
    assert KEY.encode() not in export(hidden, "json")
    assert hidden.family is not None and hidden.family.graph.ids == request.family.graph.ids
