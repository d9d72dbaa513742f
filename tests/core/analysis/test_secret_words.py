"""What looks like a secret is found by its shape, and ordinary words are not."""

from __future__ import annotations

import pytest

from opentine_gui.core.analysis.hidden_secrets import hide
from opentine_gui.core.analysis.secret_words import secrets_in
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.graph.graph import Graph
from tests.growth import is_squared

LETTERS = "Abc123Def456Ghi789Jkl012Mno345Pqr678Stu901"


def kinds(text: str) -> list[str]:
    step = new_step("tool", {"text": text}, (), timestamp=1.0)
    return [secret.kind for secret in secrets_in(Graph.of([step]))]


KEYS = (
    ("-----BEGIN " + "RSA PRIVATE KEY-----", "a private key"),
    ("sk-ant-" + LETTERS, "a key of Anthropic"),
    ("sk-proj-" + LETTERS, "a key of OpenAI"),
    ("ghp_" + LETTERS, "a token of GitHub"),
    ("AKIA" + "ABCDEFGHIJKLMNOP", "a key of AWS"),
    ("AIza" + LETTERS[:35], "a key of Google"),
    ("gsk_" + LETTERS[:40], "a key of Groq"),
    ("xai-" + LETTERS[:40], "a key of xAI"),
    ("sk_live_" + LETTERS[:24], "a live key of Stripe"),
    ("pypi-AgEIcHlwaS5vcmc" + LETTERS, "a token of PyPI"),
    ("dckr_pat_" + LETTERS[:27], "a token of Docker"),
    ("dop_v1_" + "0a1b2c3d" * 8, "a token of DigitalOcean"),
    ("SG." + LETTERS[:22] + "." + LETTERS[:40] + "abc", "a key of SendGrid"),
    ("AGE-SECRET-KEY-" + LETTERS.upper(), "a key of age"),
    ("https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/" + LETTERS[:24], "a webhook of Slack"),
    ("GOCSPX-" + LETTERS[:28], "a secret of Google"),
    ("eyJ" + LETTERS + ".eyJ" + LETTERS + "." + LETTERS, "a web token"),
    ("token-eyJ" + LETTERS + ".eyJ" + LETTERS + "." + LETTERS, "a web token"),
    ("export DB_PASSWORD='" + LETTERS[:16] + "'", "a password"),
    ('{"api_key": "x", "API_KEY": "' + LETTERS[:20] + '"}', "a password"),
)


@pytest.mark.parametrize(("text", "kind"), KEYS)
def test_the_keys_of_services_are_known(text: str, kind: str) -> None:
    assert kinds(f"before {text} after") == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "sk-learn is a library",
        "PASSWORD = ask()",
        "the secret of good soup",
        "API_KEY=$KEY",
        "AKIA",
        "ghp_short",
        "a" * 5000,
        "eyJ" + LETTERS + ".eyJ.short",
    ],
)
def test_ordinary_words_are_not(text: str) -> None:
    assert kinds(text) == []


@pytest.mark.parametrize(("text", "kind"), KEYS)
def test_what_is_warned_of_is_hidden_too(text: str, kind: str) -> None:
    assert text[-20:-4] not in hide(f"before {text} after").text, kind


def test_what_looks_like_several_kinds_is_the_first_of_them() -> None:
    assert kinds(f"API_KEY=sk-ant-{LETTERS} and sk-ant-{LETTERS}") == ["a key of Anthropic", "a password"]


@pytest.mark.parametrize("bait", ["-eyJaaaaaaaaaaaa", "eyJaaaaaaaaaaaa.", "-----BEGIN A ", "SECRET=", "sk-ant-a "])
def test_the_time_follows_the_length(bait: str) -> None:
    assert not is_squared(lambda count: kinds(bait * count), 1_000)
