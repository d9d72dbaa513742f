"""Verification: what was changed is found, what it touches is named, and what the check is worth is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from opentine_gui.core import Cancelled, RunRecord, Step, StepVerdict, Verdict, fork, verify
from opentine_gui.core.files import reader
from opentine_gui.core.files.digest import DigestVerdict
from opentine_gui.core.files.verify import verdict_of
from opentine_gui.core.format.canonical import canonical, canonical_texts, sha256_hex
from tests.core.sample_runs import make_record, make_step


@pytest.fixture
def record(diamond: dict[str, Step]) -> RunRecord:
    return make_record(list(diamond.values()))


def reread(record: RunRecord) -> RunRecord:
    return reader.decode(reader.encode(record))


def document(record: RunRecord) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(reader.encode(record))
    return value


def redigested(value: dict[str, Any]) -> bytes:
    body = {key: part for key, part in value.items() if key != "metadata"}
    value["metadata"]["integrity"] = {"algorithm": "sha256", "digest": sha256_hex(canonical(body))}
    return json.dumps(value).encode()


def test_a_sound_file_says_what_the_check_is_worth(record: RunRecord) -> None:
    found = verify(reread(record))
    assert found.ok
    assert found.still_standing == record.graph.ids
    assert found.damaged == ()
    assert found.unsupported == frozenset()
    assert any("could have written both" in said for said in found.statements)


def test_a_changed_payload_with_a_new_digest_is_found_by_its_id(record: RunRecord, diamond: dict[str, Step]) -> None:
    value = document(record)
    value["graph"]["steps"][diamond["left"].id]["inputs"]["text"] = "changed"
    found = verify(reader.decode(redigested(value)))
    assert found.digest.verdict is DigestVerdict.OK
    assert not found.ok
    assert found.mismatches == (diamond["left"].id,)
    assert found.damaged == (diamond["left"].id, diamond["join"].id)
    assert found.still_standing == tuple(diamond[name].id for name in ("root", "right", "loose"))
    assert found.of(diamond["join"].id) is StepVerdict.OK
    assert found.unsupported == {diamond["join"].id}
    assert "1 step matches its id but rests on a step that does not." in found.statements


def test_a_changed_cost_is_found_by_the_digest_alone(record: RunRecord, diamond: dict[str, Step]) -> None:
    value = document(record)
    value["graph"]["steps"][diamond["left"].id]["cost"] = 0.5
    found = verify(reader.decode(json.dumps(value).encode()))
    assert found.digest.verdict is DigestVerdict.MISMATCH
    assert found.mismatches == ()


def test_a_redacted_step_is_marked_and_does_not_condemn_the_file(record: RunRecord, diamond: dict[str, Step]) -> None:
    value = document(record)
    value["graph"]["steps"][diamond["left"].id]["inputs"]["text"] = "[REDACTED]"
    found = verify(reader.decode(redigested(value)))
    assert found.redacted == (diamond["left"].id,)
    assert found.verdict is Verdict.NOT_VERIFIED
    assert verdict_of(found.digest.verdict, found.verdicts, found.fork_id, allow_redacted=True) is Verdict.VERIFIED
    assert diamond["join"].id not in found.still_standing
    assert found.unsupported == frozenset()
    assert not any("rests on" in said for said in found.statements)


def test_a_redaction_marker_beside_the_hashed_content_excuses_no_forgery(
    record: RunRecord, diamond: dict[str, Step]
) -> None:
    value = document(record)
    step = value["graph"]["steps"][diamond["left"].id]
    step["inputs"]["text"] = "forged"
    step["provider"] = "[REDACTED]"
    found = verify(reader.decode(redigested(value)))
    assert found.redacted == ()
    assert found.verdict is Verdict.CONTRADICTED


def test_an_id_that_was_cut_is_not_verified(record: RunRecord, diamond: dict[str, Step]) -> None:
    whole = diamond["join"].id
    text = json.dumps(document(record)).replace(whole, whole[:63])
    found = verify(reader.decode(redigested(json.loads(text))))
    assert found.not_checkable == 1
    assert found.verdict is Verdict.NOT_VERIFIED


def test_what_nothing_covers_is_reported(record: RunRecord) -> None:
    assert any("tags" in said and "covered by nothing" in said for said in verify(record).statements)


def test_ids_of_another_form_are_not_called_wrong(record: RunRecord) -> None:
    value = document(make_record([]))
    step = document(record)["graph"]["steps"][record.graph.ids[0]]
    value["graph"] = {"order": ["abc"], "steps": {"abc": {**step, "id": "abc"}}}
    value["refs"] = {"main": "abc"}
    found = verify(reader.decode(redigested(value)))
    assert found.not_checkable == 1
    assert found.verdict is Verdict.NOT_VERIFIED
    assert found.still_standing == found.damaged == ()


def test_a_text_that_carries_the_hash_of_its_own_odd_spelling_does_not_pass(record: RunRecord) -> None:
    value = document(record)
    value["graph"]["steps"][record.graph.ids[0]]["inputs"]["small"] = 0.00001
    odd = json.dumps({key: part for key, part in value.items() if key != "metadata"}, sort_keys=True)
    odd = odd.replace(": ", ":").replace(", ", ",").replace("1e-05", "0.00001")
    metadata = {"integrity": {"algorithm": "sha256", "digest": sha256_hex(odd.encode())}}
    text = odd[:-1] + ',"metadata":' + json.dumps(metadata) + "}"
    found = verify(reader.decode(text.encode()))
    assert found.digest.verdict is DigestVerdict.MISMATCH


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        (b'{"b":1,"a":2}', b'{"a":2,"b":1}'),
        (b'{"a":0.00001}', b'{"a":1e-05}'),
        (b'{"a":1e16}', b'{"a":1e+16}'),
        (b'{"a":1.50}', b'{"a":1.5}'),
        (b'{"a":-0}', b'{"a":0}'),
        (b'{"a":"\x7f"}', b'{"a":"\\u007f"}'),
        ('{"a":"é"}'.encode(), b'{"a":"\\u00e9"}'),
        (b'{"a":"\\u00E9"}', b'{"a":"\\u00e9"}'),
        (b'{"a":"\\/"}', b'{"a":"/"}'),
        (b'{"a":1,"a":2}', b'{"a":2}'),
    ],
)
def test_only_the_canonical_spelling_counts_as_canonical(text: bytes, exact: bytes) -> None:
    found = canonical_texts([b"{}", text])
    assert bytes(found[1]) == exact
    assert canonical_texts([exact])[0] is exact


def test_a_fork_id_that_does_not_follow_from_its_record_is_found(record: RunRecord) -> None:
    child = reread(fork(record, record.graph.ids[1], now=1.5, nonce="n"))
    assert verify(child).fork_id is True
    forged = reread(child.edited(metadata={**child.metadata, "fork": {**child.metadata["fork"], "nonce": "other"}}))
    found = verify(forged)
    assert found.fork_id is False
    assert not found.ok
    assert verify(reread(record)).fork_id is None


def test_an_edited_record_has_no_digest_to_check(record: RunRecord) -> None:
    found = verify(reread(record).edited(run_id="other"))
    assert found.digest.verdict is DigestVerdict.NONE
    assert found.verdict is Verdict.NOT_VERIFIED


@pytest.mark.parametrize("integrity", [None, {}, {"algorithm": "md5", "digest": "0" * 64}, {"algorithm": "sha256"}])
def test_a_file_without_a_digest_that_can_be_compared_is_not_verified(record: RunRecord, integrity: Any) -> None:
    value = document(record)
    value["metadata"]["integrity"] = integrity
    found = verify(reader.decode(json.dumps(value).encode()))
    assert found.verdict is Verdict.NOT_VERIFIED
    assert not found.ok
    assert found.mismatches == ()
    assert found.statements[0].startswith("Not verified: nothing contradicts it, but not everything could be checked.")
    assert "nothing covers cost" in found.statements[0]


def test_a_wrong_step_weighs_more_than_a_missing_digest(record: RunRecord, diamond: dict[str, Step]) -> None:
    value = document(record)
    del value["metadata"]["integrity"]
    value["graph"]["steps"][diamond["left"].id]["inputs"]["text"] = "changed"
    found = verify(reader.decode(json.dumps(value).encode()))
    assert found.verdict is Verdict.CONTRADICTED
    assert not any("Not verified" in said for said in found.statements)


def test_verifying_stops_when_asked(record: RunRecord) -> None:
    with pytest.raises(Cancelled):
        verify(record, cancelled=lambda: True)


def test_one_step_is_spoken_of_in_the_singular() -> None:
    whole = make_record([make_step("only")])
    assert any(said.startswith("The one step id follows") for said in verify(whole).statements)
    text = reader.encode(make_record([make_step("only"), make_step("next")])).replace(b'"next"', b'"nxet"')
    said = " ".join(verify(reader.decode(text)).statements)
    assert "1 step still stands: it and all it rests on" in said
    assert "1 step does not have the content its id was made of" in said
