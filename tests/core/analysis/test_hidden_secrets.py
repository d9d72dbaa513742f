"""What looks like a secret is hidden in place, everything else stays, and no text takes long."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.hidden_secrets import SIGN, hide, hide_in_json, hide_in_record, shown
from tests.core.analysis.call_runs import Recording
from tests.growth import is_squared

LETTERS = "Abc123Def456Ghi789Jkl012Mno345Pqr678Stu901"
PEM = "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIEow" + LETTERS + "\n" + LETTERS + "==\n-----END RSA PRIVATE KEY-----"
SECRETS = [
    ("sk-ant-api03-" + LETTERS, "Anthropic key"),
    ("sk-proj-" + LETTERS, "API key"),
    ("sk-" + LETTERS, "API key"),
    ("ghp_" + LETTERS[:36], "GitHub token"),
    ("github_pat_" + LETTERS, "GitHub token"),
    ("glpat-" + LETTERS[:20], "GitLab token"),
    ("AKIA" + "ABCDEFGHIJKLMNOP", "AWS key"),
    ("AIza" + LETTERS[:35], "Google key"),
    ("xoxb-" + "1234567890-abcdef", "Slack token"),
    ("hf_" + LETTERS[:34], "Hugging Face token"),
    ("npm_" + LETTERS[:36], "npm token"),
    ("sk_live_" + LETTERS[:24], "Stripe key"),
    ("eyJ" + LETTERS + ".eyJ" + LETTERS + "." + LETTERS, "web token"),
    (PEM, "private key"),
]
ASSIGNED = [
    ("password={}", "hunter22", "password"),
    ("password={}", "correct-horse", "password"),
    ('"password": "{}"', "hunter", "password"),
    ('{{\\"password\\": \\"{}\\"}}', "hunter", "password"),
    ("DB_PASSWORD='{}'", "s3cr3t!", "password"),
    ("PGPASSWORD={} psql", "abcd", "password"),
    ("passwd: {}", "x1y2z3", "password"),
    ("api_key = '{}'", LETTERS[:20], "key"),
    ("OPENAI_API_KEY={}", LETTERS[:20], "key"),
    ("AWS_SECRET_ACCESS_KEY={}", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "secret"),
    ("client_secret: {}", LETTERS[:20], "secret"),
    ("?token={}&x=1", LETTERS[:20], "token"),
    ("Authorization: Bearer {}", LETTERS, "authorization"),
    ("authorization: Basic {}", "dXNlcjpwYXNzd29yZA==", "authorization"),
    ("-H 'Authorization: token {}'", LETTERS, "authorization"),
    ('curl -H "bearer {}"', LETTERS, "authorization"),
    ("postgres://user:{}@host/db", "pa55", "password"),
]
HARMLESS = [
    "the password is required", "password: str", "def f(password: string, token: str)", "token = get_token(x)",
    "password=$PASSWORD", "password=${{ secrets.X }}", "max_tokens=4096", '"input_tokens": 12345', "tokens: 12,345",
    "secret=self.secret", "api_key=os.environ['X1']", "task-1234567890123456789012345", "disk-" + "a1" * 20,
    "a-long-kebab-case-name-that-is-sk-only-words-and-more-words", "password_file=/run/secrets/db1",
    "token_path: /var/lib/x1y2z3", "Authorization: required", "keyboard: qwerty123", "https://example.com:8080/a@b",
    "3f786850e387550fdab836ed7e6dc881de23001b", "-----BEGIN CERTIFICATE-----", "eyJhbGciOi",
]  # fmt: skip


@pytest.mark.parametrize(("secret", "kind"), SECRETS)
@pytest.mark.parametrize("around", ["before {} after", "\n{}\n", "key:{}", '"{}"', "({})", "{}"])
def test_secrets_of_known_form_are_hidden_and_what_is_around_them_stays(secret: str, kind: str, around: str) -> None:
    text, kinds = hide(around.format(secret))
    assert kinds == (kind,)
    assert text == around.format(shown(kind, len(secret)))
    assert secret[8:] not in text


@pytest.mark.parametrize(("around", "secret", "kind"), ASSIGNED)
def test_what_is_given_to_a_password_is_hidden(around: str, secret: str, kind: str) -> None:
    text, kinds = hide(around.format(secret))
    assert kinds == (kind,)
    assert text == around.format(shown(kind, len(secret)))


@pytest.mark.parametrize("text", HARMLESS)
def test_other_words_stay(text: str) -> None:
    assert hide(text) == (text, ())


def test_a_key_that_is_cut_off_and_one_in_json_in_a_text_are_hidden_too() -> None:
    cut = PEM[: PEM.index("-----END")] + "\n\nAnd then some words."
    text, kinds = hide(cut)
    assert kinds == ("private key",)
    assert "MII" not in text and LETTERS not in text and text.endswith("And then some words.")
    text, kinds = hide(PEM.replace("\n", "\\n"))
    assert kinds == ("private key",) and LETTERS not in text


def test_all_of_several_are_hidden_and_counted() -> None:
    text, kinds = hide("\n".join(secret for secret, _ in SECRETS))
    assert sorted(kinds) == sorted(kind for _, kind in SECRETS)
    assert text.count(SIGN * 4 + "[") == len(SECRETS)
    assert hide(text) == (text, ()), "what is hidden is not hidden again"


def test_the_place_of_a_secret_says_how_long_it_is_in_three_classes() -> None:
    assert [len(shown("key", length)) for length in (4, 16, 17, 40, 41, 4000)] == [16, 16, 28, 28, 40, 40]


def test_json_stays_json_whatever_is_escaped_in_it_and_ids_stay() -> None:
    key = "ghp_" + LETTERS[:36]
    raw = (
        b'{"id":"' + key.encode() + b'","parent_ids":["' + key.encode() + b'"],"inputs":{"password":"hunter","n":1.5,'
        b'"max_tokens":4096,"Authorization":"Bearer abcdefgh","env":"\\nghp_' + LETTERS[:36].encode()
        + b'","spelled":"\\u0067hp_' + LETTERS[:36].encode() + b'"},"outputs":{"' + key.encode() + b'":[true,null]}}'
    )  # fmt: skip
    found = hide_in_json(raw, frozenset({"id", "parent_ids"}))
    value = msgspec.json.decode(found.raw)
    assert (value["id"], value["parent_ids"]) == (key, [key])
    assert value["inputs"]["n"] == 1.5 and value["inputs"]["max_tokens"] == 4096
    assert len(found.kinds) == 5
    assert key.encode() not in msgspec.json.encode([value["inputs"], value["outputs"]])
    assert not any(word in found.raw for word in (b"hunter", b"abcdefgh"))


def test_json_without_secrets_stays_as_it_was_spelled() -> None:
    raw = b'{"a": 1.50, "b":"\\u0041"}'
    assert hide_in_json(raw).raw is raw


def session() -> RunRecord:
    run = Recording()
    run.ask("Use ghp_" + LETTERS[:36])
    run.call("Bash", {"command": "export API_KEY=" + LETTERS[:20]}, "ok")
    run.say("Done")
    return run.record(metadata={"title": "With AKIA" + "ABCDEFGHIJKLMNOP"}, transcript_text=b'["password=hunter22"]')


def test_a_record_is_hidden_as_a_whole_and_the_first_one_is_unchanged() -> None:
    record = session()
    before = [bytes(raw) for raw in record.graph.raws]
    found = hide_in_record(record)
    assert found.total == 4
    assert [bytes(raw) for raw in record.graph.raws] == before
    shown_record = found.record
    assert shown_record.graph.ids == record.graph.ids
    assert shown_record.graph.raws[2] is record.graph.raws[2]
    everything = msgspec.json.encode([*map(bytes, shown_record.graph.raws)]) + shown_record.transcript_text
    assert b"hunter" not in everything and LETTERS[:20] not in shown_record.graph.step(1).inputs["arguments"]["command"]
    assert "AKIA" not in shown_record.title
    assert hide_in_record(Recording().record()).total == 0


@given(st.text(max_size=200))
def test_any_text_can_be_hidden_twice(text: str) -> None:
    once = hide(text).text
    assert hide(once) == (once, ())


HOSTILE = [
    "sk-", "sk-ant-", "eyJ", "eyJaaaaaaaaaa.", "eyJaaaaaaaaaa.eyJ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN RSA ",
    "password", "password=", "token:", "token=a", "authorization:", "bearer ", "://a:", "://", "AKIA", "xoxb-", "a-",
    "secret-", "-----", "-----END PRIVATE KEY-----", "ghp_", "\\", "password\\\"", "api_key => ", "keykeykey",
    "PRIVATE KEY ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    def text(size: int) -> str:
        return (piece * (size // len(piece) + 1))[:size]

    assert not is_squared(lambda size: hide(text(size)), 20_000)
