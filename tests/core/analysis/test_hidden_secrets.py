"""What looks like a secret is hidden in place, everything else stays, and no text takes long."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.hidden_secrets import SIGN, hide, hide_cut, hide_in_json, hide_in_record, said, shown
from opentine_gui.core.analysis.secret_names import Given, is_secret, name_of_key
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
    ("gsk_" + LETTERS, "Groq key"),
    ("xai-" + LETTERS, "xAI key"),
    ("GOCSPX-" + LETTERS[:28], "Google secret"),
    ("ya29." + LETTERS, "Google token"),
    ("dckr_pat_" + LETTERS[:27], "Docker token"),
    ("dop_v1_" + "0a1b2c3d" * 8, "DigitalOcean token"),
    ("SG." + LETTERS[:22] + "." + LETTERS, "SendGrid key"),
    ("AGE-SECRET-KEY-1" + LETTERS.upper(), "age key"),
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
    ("postgres://user:{}@host/db", "pa@ss1", "password"),
    ('password = "{}"', "correct horse battery, staple", "password"),
    ("password: '{}' # a note", 'a, b; c1 (d) [e] {f} <g> "h"', "password"),
    ('{{\\"password\\": \\"{}\\"}}', "two words, one", "password"),
    ('"password": "{}", "n": 1', "secret-plan", "password"),
    ('"password": "{}"', "$ecret word", "password"),
    ('PASSWORD="{}"', "${X:-hunter2}", "password"),
    ("client_secret={}", "a1" * 700, "secret"),
    ("login --password {} --all", "hunter", "password"),
    ("login --password '{}'", "two words", "password"),
    ("--token {} x", LETTERS[:20], "token"),
    ('["x", "--password", "{}"]', "two words", "password"),
    ("curl -su x -u user:{} https://host", "pass1x", "password"),
    ('curl --user "user:{}"', "two words", "password"),
    ('["curl", "-u", "user:{}"]', "pass1x", "password"),
    ("DB_PASS={}", "abcd", "password"),
    ("DB_PASS='{}'", "ab cd", "password"),
    ("?pass={}&x=1", "hunter2", "password"),
    ('dbPass = "{}"', "hunter", "password"),
    ('const apiKey: string = "{}"', "Abcd efgh 1234", "key"),
    ("api_key: str | None = '{}'", "abcdefgh1234", "key"),
    ('var token string = "{}"', "abcdefgh1234", "token"),
    ('os.environ["DB_PASSWORD"] = "{}"', "ab cd", "password"),
    ('if password == "{}":', "hunter two", "password"),
    ("**Password:** `{}`", "hunter2", "password"),
    ("<password>{}</password>", "hunter2", "password"),
    ("machine host.com login me password {}", "abcd", "password"),
    ("machine host.com\n  login me\n  password {}\n", "abcd", "password"),
    ("https://host/x?sv=1&sig={}&se=2", "abcDEF123%2Bxyz", "signature"),
    ("https://host/x?sig={}", "abcDEF123%2Bxyz", "signature"),
    ("git clone https://{}@host/x", LETTERS[:36], "token"),
    ("https://hooks.slack.com/services/{}", "T00000000/B00000000/" + LETTERS[:24], "webhook"),
    ('{{"auths": {{"host": {{"auth": "{}"}}}}}}', "dXNlcjpwYXNzd29yZA==", "login"),
    ("Cookie: {}", "sid=abc123; theme=dark", "cookie"),
    ("-H 'cookie: {}'", "sid=abc123", "cookie"),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", "abc123", "cookie"),
]
HARMLESS = [
    "the password is required", "password: str", "def f(password: string, token: str)", "token = get_token(x)",
    "password=$PASSWORD", "password=${{ secrets.X }}", "max_tokens=4096", '"input_tokens": 12345', "tokens: 12,345",
    "secret=self.secret", "api_key=os.environ['X1']", "task-1234567890123456789012345", "disk-" + "a1" * 20,
    "a-long-kebab-case-name-that-is-sk-only-words-and-more-words", "password_file=/run/secrets/db1",
    "token_path: /var/lib/x1y2z3", "Authorization: required", "keyboard: qwerty123", "https://example.com:8080/a@b",
    "PWD=/home/user1/x", "OLDPWD=/home/user1", "OLDPWD=abc123x", "token = input1.value", "password: input1.value,",
    "tokenizer: gpt2-tokenizer-1234", '"tokenizer": "gpt2-medium-model-12345678"', "TOKENIZER=gpt2-model-123456",
    "token: Token1Alias", "secretary: Jane Doe1", "secretary=abcd1234efgh", "tests pass: 12/13", "PASS: test_one1",
    "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db1-AbCdEf", "pass=12 fail=3", "compass=north1",
    '"secret": "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db1-AbCdEf"', "bypass: x1y2z3",
    "run(token=discord_config.discord_bot_token)", '"&password=" + password1 + "&x="', "password: 8-20 characters",
    "`password=${password1}`", "--password PASSWORD", "--token <token> the token", "--password is required",
    '"password": "string?"', "handler(password_mgr=auth)", 'token = r"[-!#$%0-9a-zA-Z]+"',
    'private_key: "_CurvePrivateKeyOfABase"',
    "key = PrivateKey = rust.hpke.MLKEM768X25519PrivateKey", "Bearer https://tools.ietf.org/html/rfc6750",
    "docker run --user node:node1", "http://localhost:8080?email=a@b.c", "https://x:${GH_TOKEN}@github.com",
    "https://user@host", "token: Optional[str] = None", "password=args1[0]", "Cookie: a small file",
    '"auth": "OAuth2xx"',
    "pwd = `${start}...${end}`", "login(password=raw_password)", '"api_key": "AZURE_OPENAI_SERVICE_API_KEY_2"',
    "docker login --password-stdin registry1.io", "password:\nfoo1: bar2",
    'cd "$OLDPWD"', "login with password please1",
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


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("password", "two words"), ("password", "secret-plan"), ("password", "password!"), ("password", "$ecret!"),
        ("secret", "secret-abc-defgh1"), ("token", "os-abc12345"), ("token", "a phrase of words"), ("pass", "hunter2"),
        ("client_secret", "a1" * 5_000), ("auth", "dXNlcjpwYXNzd29yZA=="), ("Cookie", "sid=abc123; b=c"),
    ],
)  # fmt: skip
def test_a_member_that_is_named_as_a_secret_is_hidden_whatever_it_begins_with(key: str, value: str) -> None:
    found = hide_in_json(msgspec.json.encode({"inputs": {key: value, "other": value[:3]}}))
    inside = msgspec.json.decode(found.raw)["inputs"]
    assert len(found.kinds) == 1
    assert inside == {key: shown(found.kinds[0], len(value)), "other": value[:3]}


@pytest.mark.parametrize("value", ["os.environ", "self.password", "$PASSWORD", "${PASSWORD}", "config['x']", "None"])
def test_a_member_that_stands_for_another_value_stays(value: str) -> None:
    raw = msgspec.json.encode({"password": value, "token": value})
    assert hide_in_json(raw).raw is raw


@pytest.mark.parametrize("inside", ["{}", "[{}]", '{{"value": {}}}', '{{"data": {}}}', '[{{"secret": {}}}]'])
@pytest.mark.parametrize("value", ["12345678", "1234", '"a1b2c3d4"', '"hunter"'])
def test_numbers_under_a_password_are_hidden_as_texts_are_and_in_objects_that_hold_them(
    inside: str, value: str
) -> None:
    found = hide_in_json(f'{{"password": {inside.format(value)}, "n": 12345678, "value": "hunter"}}'.encode())
    told = msgspec.json.decode(found.raw)
    assert found.kinds == ("password",)
    assert told["password"] == msgspec.json.decode(inside.format(f'"{shown("password", 8)}"'))
    assert (told["n"], told["value"]) == (12345678, "hunter")


@pytest.mark.parametrize(
    "member",
    [
        '"password": true', '"password": 123', '"password": 0.5', '"password_count": 12345678', '"token": 12345678',
        '"pass": 12345678', '"password": {"type": "string", "minimum": 12345678}', '"password": {"value": true}',
    ],
)  # fmt: skip
def test_other_numbers_and_members_stay(member: str) -> None:
    raw = f"{{{member}}}".encode()
    assert hide_in_json(raw).raw is raw


def test_arguments_after_an_option_are_hidden_in_a_list_too() -> None:
    raw = msgspec.json.encode({"argv": ["curl", "-u", "me:pass1", "--password", "two words", "--all", "two words"]})
    told = msgspec.json.decode(hide_in_json(raw).raw)["argv"]
    assert told[2] == "me:" + shown("password", 5) and told[4] == shown("password", 9)
    assert told[5:] == ["--all", "two words"]


def test_two_keys_that_are_secrets_of_a_kind_stay_two() -> None:
    raw = msgspec.json.encode({"x": {"ghp_" + LETTERS[:36]: 1, "ghp_" + LETTERS[1:37]: 2}})
    found = hide_in_json(raw)
    assert list(msgspec.json.decode(found.raw)["x"].values()) == [1, 2]
    assert b"Abc" not in found.raw


def test_a_hidden_key_is_unlike_every_other_key_of_its_object() -> None:
    secret, sign = "ghp_" + LETTERS[:36], shown("GitHub token", 40)
    members = {secret: 1, "ghp_" + LETTERS[1:37]: 2, sign: 3, f"{sign} 2": 4, f"{sign} 3": 5}
    for keys in (list(members), list(reversed(members))):
        told = msgspec.json.decode(hide_in_json(msgspec.json.encode({"x": {key: members[key] for key in keys}})).raw)
        assert sorted(told["x"].values()) == [1, 2, 3, 4, 5]
        assert (told["x"][sign], told["x"][f"{sign} 2"], told["x"][f"{sign} 3"]) == (3, 4, 5)


def test_many_keys_that_look_like_hidden_ones_do_not_take_long() -> None:
    def work(size: int) -> object:
        sign = shown("GitHub token", 40)
        likes = {f"{sign} {number}": 1 for number in range(size)}
        return hide_in_json(msgspec.json.encode({"x": likes | {f"ghp_{number:036}": 2 for number in range(size)}}))

    assert not is_squared(work, 200)


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


@pytest.mark.parametrize("depth", [600, 5_000, 100_000])
def test_however_deep_a_record_is_nothing_is_raised_and_it_is_hidden(depth: int) -> None:
    value: object = "password=hunter22"
    for _ in range(depth):
        value = [value]
    found = hide_in_record(session_with({"deep": value}))
    inside: object = found.record.metadata["deep"]
    while isinstance(inside, list):
        inside = inside[0]
    assert inside == "password=" + shown("password", 8)
    told = hide_in_json(b'{"a":' + b"[" * depth + b'"password=hunter22 \xe2\x82\xac"' + b"]" * depth + b"}")
    assert told.kinds == ("password",) and b"hunter" not in told.raw and b"\xe2\x82\xac" in told.raw


def session_with(metadata: dict[str, object]) -> RunRecord:
    return Recording().record(metadata=metadata)


def test_a_list_under_a_long_key_takes_no_longer_than_one_under_a_short_key() -> None:
    def work(size: int) -> object:
        return hide_in_json(msgspec.json.encode({"k" * size: ["ab"] * (size // 4), "password": "x"}))

    assert not is_squared(work, 10_000)


def test_how_many_places_were_hidden_is_said() -> None:
    assert said(1) == "Secrets hidden in 1 place; check for others yourself"
    assert said(1_200) == "Secrets hidden in 1,200 places; check for others yourself"
    assert said(0) == "No secret recognised; check for others yourself"


PIECES = ["password", "token", "=", ": ", '"', "'", "\\", "a1b2c3d4", " ", "://", "@", "sig", "?", "pass", "--", "•",
          "curl -u ", "Cookie: ", "[", "]", "{", "}", "$", "\n", "secret", "arn:",
          "sk-" + LETTERS, "x" * 401]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_a_text_of_names_and_signs_can_be_hidden_twice(text: str) -> None:
    once = hide(text).text
    assert hide(once) == (once, ())


@given(st.text(max_size=200))
def test_any_text_can_be_hidden_twice(text: str) -> None:
    once = hide(text).text
    assert hide(once) == (once, ())


def test_a_long_word_takes_a_time_that_follows_its_length() -> None:
    token = name_of_key("token")
    assert token is not None
    assert not is_squared(lambda size: is_secret("a" * size + "-", token, Given()), 400)


HOSTILE = [
    "sk-", "sk-ant-", "eyJ", "-eyJaaaaaaaaaaaa", "eyJaaaaaaaaaa.", "eyJaaaaaaaaaa.eyJ", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN RSA ",
    "password", "password=", "token:", "token=a", "authorization:", "bearer ", "://a:", "://", "AKIA", "xoxb-", "a-",
    "secret-", "-----", "-----END PRIVATE KEY-----", "ghp_", "\\", "password\\\"", "api_key => ", "keykeykey",
    "PRIVATE KEY ", "gsk_", "xai-", "ya29.", "SG.aaaaaaaaaaaaaaaaaa.", "cookie: a=", "cookie: a=bbbb; ",
    "set-cookie: a=",
    "hooks.slack.com/services/aaaaa/", "?sig=", "https://a", "machine a login a password ", "machine a ", "curl -u a:",
    '-u "a:b', "--user ", '"auth": "aaaaaaaa', 'password="', "password='a\"", "password: string", "token a = ",
    "--password a", "--a-", "pass=", "token: arn:", "arn:secret:", "secret: a.b", "password=$", "pwd=/a", "<password>",
    "token == ", "\\\"password\\\": \\\"", "password=aaaa(", "machine a\\n", "access key ", "password={", "x",
    "password='{a",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(piece: str) -> None:
    def text(size: int) -> str:
        return (piece * (size // len(piece) + 1))[:size]

    assert not is_squared(lambda size: hide(text(size)), 20_000)


@pytest.mark.parametrize(
    "cut",
    [
        "deploy with sk-proj-Ab3…",
        "deploy with ghp_Ab…",
        "AKIAIOSF…",
        "Authorization: Bearer eyJhbGci…",
        "eyJhbGciOiJI…",
        "password: hun…",
        "API_KEY=ab…, and more",
    ],
)
def test_what_begins_like_a_secret_and_was_cut_is_hidden(cut: str) -> None:
    text, kinds = hide_cut(cut)
    secret = cut.partition("…")[0].split()[-1].removeprefix("API_KEY=")
    assert kinds
    assert secret not in text and SIGN in text
    assert text.endswith("…" + cut.partition("…")[2]), "and nothing else is"
    assert hide_cut(text).text == text, "what is hidden is not hidden again"


@pytest.mark.parametrize(
    "plain", ["Open…", "… and 3 more", "token: Fix the…", "reads src/app/session.py…", "a…b…c", "…"]
)
def test_other_words_that_were_cut_stay(plain: str) -> None:
    assert hide_cut(plain) == (plain, ())


def test_a_text_with_many_cuts_is_looked_at_in_time_that_follows_its_length() -> None:
    assert not is_squared(lambda size: hide_cut("sk-proj-Ab3 … " * size), 400)
