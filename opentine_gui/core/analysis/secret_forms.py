"""The forms by which a secret in a text is known: keys of services, headers, addresses, options of curl.

Time is linear in the text: what comes before or inside a secret is bounded, or taken without going back.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable
from typing import NamedTuple

from opentine_gui.core.analysis.secret_names import NAME_WORDS
from opentine_gui.core.format.late_pattern import late_pattern

_BEFORE = 400
"""Characters before `-u user:password` among which the name of the program is looked for."""


class Form(NamedTuple):
    """A form of secret: every match of `pattern` holds one of `words` in lower case; group `s` is hidden, else all.

    `check` says of a match whether it is one, where a pattern cannot.
    """

    kind: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Callable[[re.Match[str]], bool] | None = None


def _form(
    kind: str, words: str, pattern: str, check: Callable[[re.Match[str]], bool] | None = None, *, any_case: bool = False
) -> Form:
    return Form(kind, tuple(words.split()), late_pattern(pattern, re.ASCII | (re.IGNORECASE if any_case else 0)), check)


def _after_curl(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - _BEFORE) : match.start()].lower()
    return "curl" in before and not re.fullmatch(r"\d{1,8}|\$\{?\w+\}?|[*x.]+", match["s"])


def _is_login(match: re.Match[str]) -> bool:
    return is_login(match["s"])


def is_login(value: str) -> bool:
    """Whether a value is `user:password` in Base64, as registries have it."""
    if not 8 <= len(value) <= 4_000 or len(value) % 4:
        return False
    try:
        login = b64decode(value, validate=True)
    except (Error, ValueError):
        return False
    return b":" in login[1:-1] and all(32 <= sign < 127 for sign in login)


def _is_code(match: re.Match[str]) -> bool:
    return any(sign.isdigit() for sign in match["s"])


_START = r"(?<![A-Za-z0-9])"
_SLASHES = r":(?:\\?/){2}"
_VARIABLE = r"(?!\$\{?\w{1,80}\}?@|\{|<|%|\*+@|\.+@)"
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----))*+-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:(?:\s|\\[nr]){0,8}+[A-Za-z0-9+/=]{16,}+)*+)"
)
_AUTHORIZATION = (
    r"(?:authorization\\{0,4}[\"']?\s{0,4}[:=]\s{0,4}\\{0,4}[\"']?(?:(?:bearer|basic|token|apikey)\s{1,4}|(?=[^\s\"'\\]{0,64}[0-9]))"
    r"|\bbearer\s{1,4}(?=[^\s\"'\\]{0,64}[0-9]))"
    r"(?!https?:)(?P<s>[A-Za-z0-9+/_.~=:-]{8,}+)"
)
_SPACE = r"(?:\s|\\[nrt]){1,16}+"
FORMS = (
    Form("private key", ("private key",), late_pattern(_PRIVATE_KEY)),
    _form("Anthropic key", "sk-ant-", rf"{_START}sk-ant-[A-Za-z0-9_-]{{12,}}+"),
    _form("API key", "sk-", rf"{_START}sk-(?=[A-Za-z_-]{{0,64}}[0-9])[A-Za-z0-9_-]{{20,}}+"),
    _form("Groq key", "gsk_", rf"{_START}gsk_[A-Za-z0-9]{{20,}}+"),
    _form("xAI key", "xai-", rf"{_START}xai-(?=[A-Za-z_-]{{0,64}}[0-9])[A-Za-z0-9_-]{{20,}}+"),
    _form(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        rf"{_START}(?:gh[pousr]_[A-Za-z0-9]{{20,}}+|github_pat_[A-Za-z0-9_]{{20,}}+)",
    ),
    _form("GitLab token", "glpat-", rf"{_START}glpat-[A-Za-z0-9_-]{{16,}}+"),
    _form("AWS key", "akia asia", rf"{_START}(?:AKIA|ASIA)[0-9A-Z]{{16}}(?![0-9A-Za-z])"),
    _form("Google key", "aiza", rf"{_START}AIza[0-9A-Za-z_-]{{30,}}+"),
    _form("Google secret", "gocspx-", rf"{_START}GOCSPX-[0-9A-Za-z_-]{{16,}}+"),
    _form("Google token", "ya29.", rf"{_START}ya29\.[0-9A-Za-z_-]{{16,}}+"),
    _form("Slack token", "xox xapp-", rf"{_START}(?:xox[abeoprs]|xapp)-[0-9A-Za-z-]{{10,}}+"),
    _form(
        "webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com\\?/(?:services|workflows|triggers)\\?/(?P<s>[A-Za-z0-9_]{5,64}+(?:\\?/[A-Za-z0-9_]{5,64}+){1,4}+)",
    ),
    _form("Hugging Face token", "hf_", rf"{_START}hf_[A-Za-z0-9]{{30,}}+"),
    _form("npm token", "npm_", rf"{_START}npm_[A-Za-z0-9]{{30,}}+"),
    _form("Stripe key", "_live_ _test_", rf"{_START}(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{{12,}}+"),
    _form("PyPI token", "pypi-", rf"{_START}pypi-[A-Za-z0-9_-]{{40,}}+"),
    _form("Docker token", "dckr_pat_", rf"{_START}dckr_pat_[A-Za-z0-9_-]{{16,}}+"),
    _form("DigitalOcean token", "_v1_", rf"{_START}do[opr]_v1_[a-f0-9]{{32,}}+"),
    _form("SendGrid key", "sg.", rf"{_START}SG\.[A-Za-z0-9_-]{{16,64}}+\.[A-Za-z0-9_-]{{16,}}+"),
    _form("age key", "age-secret-key-", rf"{_START}AGE-SECRET-KEY-[A-Z0-9-]{{20,}}+", any_case=True),
    _form(
        "web token",
        "eyj",
        r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?\beyJ[A-Za-z0-9_-]{8})[A-Za-z0-9_-]++\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]{0,}+){1,3}",
    ),
    _form("authorization", "authorization bearer", _AUTHORIZATION, any_case=True),
    _form(
        "cookie",
        "cookie",
        r"(?<![A-Za-z0-9])(?<!set-)cookie\\{0,4}[\"']?[ \t]{0,4}:[ \t]{0,4}\\{0,4}[\"']?"
        r"(?P<s>[A-Za-z0-9_.!#$%&*+^|~-]{1,128}+=[^\s\"'\\;]{4,}+"
        r"(?:;[ \t]{0,4}[^\s\"'\\;=]{1,128}+=[^\s\"'\\;]{0,}+)*+)",
        any_case=True,
    ),
    _form(
        "cookie",
        "cookie",
        r"(?:set-cookie\\{0,4}[\"']?[ \t]{0,4}:[ \t]{0,4}|--cookie[ \t=]{1,4})\\{0,4}[\"']?"
        r"[A-Za-z0-9_.!#$%&*+^|~-]{1,128}+=(?P<s>[^\s\"'\\;]{4,}+)",
        any_case=True,
    ),
    _form(
        "password",
        "://",
        rf"{_SLASHES}[^\s/:@\"'\\]{{0,64}}+:(?!\d{{1,5}}[?#),;>&\]]){_VARIABLE}(?P<s>[^\s/\"'\\•]{{1,200}})@",
    ),
    _form("token", "://", rf"https?{_SLASHES}(?P<s>[A-Za-z0-9_.~-]{{20,255}}+)@", _is_code),
    _form("signature", "sig=", r"(?:[?&;]|\\u0026)sig=(?P<s>[A-Za-z0-9%+/=_-]{10,}+)"),
    _form(
        "password",
        "password",
        rf"\b(?:machine{_SPACE}[^\s\\\"']{{1,253}}+|default){_SPACE}login{_SPACE}[^\s\\\"']{{1,128}}+{_SPACE}password{_SPACE}"
        r"(?P<s>[^\s\\\"'•]{1,}+)",
    ),
    _form(
        "password",
        "-u --user --proxy-user",
        r"(?<![\w-])(?:-u|--user|--proxy-user)(?:\\{0,4}[\"'],)?[ \t=]{0,4}[^\s:\"'\\$<{=-][^\s:\"'\\]{0,80}+:"
        r"(?P<s>[^\s\"'\\•]{3,}+)",
        _after_curl,
    ),
    _form(
        "password",
        "-u --user --proxy-user",
        r"(?<![\w-])(?:-u|--user|--proxy-user)(?:\\{0,4}[\"'],)?[ \t=]{0,4}(?P<quote>\\{0,4}[\"'])"
        r"[^\s:\"'\\$<{]{1,80}+:"
        r"(?P<s>(?:(?!(?P=quote))[^\n•]){3,200}+)",
        _after_curl,
    ),
    _form(
        "login",
        'auth" auth\\',
        r"\bauth\\{0,4}\"\s{0,8}:\s{0,8}\\{0,4}\"(?P<s>[A-Za-z0-9+/]{8,4000}+={0,2})(?=\\{0,4}\")",
        _is_login,
    ),
)

# -- whether a text may hold any ------------------------------------------------------------------------------------

_MAYBE = {
    "://": late_pattern(r":(?:\\{0,4}/){2}[^\s/\"']{1,400}@"),
    ":\\/": late_pattern(r":(?:\\{0,4}/){2}[^\s/\"']{1,400}@"),
    "token": late_pattern(r"token(?!s|iz)"),
    "sg.": late_pattern(r"(?<![a-z0-9])sg\.[a-z0-9_-]{16}"),
    "sk-": late_pattern(r"(?<![a-z0-9])sk-[a-z0-9_-]{12}"),
    "pass": late_pattern(r"pass(?:w|phrase|code|[\"'\\`\]*]{0,6}[\s:=>,])"),
    "key": late_pattern(r"(?:api|access|private|encryption|account|signing|auth|secret)[_ -]?key"),
}
"""Words that are found in many texts, and what is around them in a text that may hold a secret."""
_OTHERS = {word for form in FORMS for word in form.words if not word.startswith("-")} | set(NAME_WORDS)
_SURE = tuple(sorted(_OTHERS - _MAYBE.keys() | {"curl", "hooks.slack"}))


def may_hold(low: str) -> bool:
    """Whether a text, in lower case, may hold a secret, as cheaply as can be: most do not."""
    for word in _SURE:  # searching for words one by one takes a third of the time of one pattern for all
        if word in low:
            return True
    return any(word in low and pattern.search(low) for word, pattern in _MAYBE.items())
