"""Finds what looks like a secret in a run: keys of well-known services, private keys, passwords in assignments.

The patterns follow what the services document about their keys. A secret is named by its kind and never repeated.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.progress import Pace

MOST = 200
STEPS_BETWEEN = 200


class _Shape(NamedTuple):
    """What a kind of secret looks like: every match of `pattern` contains one of `words`, which are found quickly."""

    kind: str
    words: tuple[bytes, ...]
    pattern: str


_SHAPES = (
    _Shape("a private key", (b"PRIVATE KEY-----",), r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----"),
    _Shape("a key of Anthropic", (b"sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    _Shape("a key of OpenAI", (b"sk-",), r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}"),
    _Shape(
        "a token of GitHub",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_", b"github_pat_"),
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})",
    ),
    _Shape("a token of GitLab", (b"glpat-",), r"\bglpat-[A-Za-z0-9_-]{20,}"),
    _Shape("a key of AWS", (b"AKIA", b"ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _Shape("a key of Google", (b"AIza",), r"\bAIza[0-9A-Za-z_-]{35}"),
    _Shape("a token of Slack", (b"xox",), r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}"),
    _Shape("a token of Hugging Face", (b"hf_",), r"\bhf_[A-Za-z0-9]{30,}"),
    _Shape("a token of npm", (b"npm_",), r"\bnpm_[A-Za-z0-9]{36}"),
    _Shape("a key of Groq", (b"gsk_",), r"\bgsk_[A-Za-z0-9]{40,}"),
    _Shape("a key of xAI", (b"xai-",), r"\bxai-[A-Za-z0-9]{40,}"),
    _Shape("a live key of Stripe", (b"_live_",), r"\b[sr]k_live_[A-Za-z0-9]{16,}"),
    _Shape("a token of PyPI", (b"pypi-AgE",), r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    _Shape("a token of Docker", (b"dckr_pat_",), r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
    _Shape("a token of DigitalOcean", (b"_v1_",), r"\bdo[opr]_v1_[a-f0-9]{64}"),
    _Shape("a key of SendGrid", (b"SG.",), r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{40,}"),
    _Shape("a key of age", (b"AGE-SECRET-KEY-",), r"\bAGE-SECRET-KEY-[A-Z0-9-]{40,}"),
    _Shape(
        "a webhook of Slack", (b"hooks.slack.com",), r"\bhooks\.slack\.com\\?/(?:services|workflows)\\?/T[A-Z0-9]{7,}"
    ),
    _Shape("a secret of Google", (b"GOCSPX-",), r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    # Only at the beginning of a word: trying every `eyJ` inside a long word would take quadratic time.
    _Shape(
        "a web token",
        (b".eyJ",),
        r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?\beyJ[A-Za-z0-9_-]{10})[A-Za-z0-9_-]++"
        r"\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    _Shape(
        "a password",
        (b"PASSWORD", b"PASSWD", b"SECRET", b"APIKEY", b"API_KEY", b"ACCESS_TOKEN", b"AUTH_TOKEN"),
        r"\b[A-Za-z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_TOKEN|AUTH_TOKEN)"
        r"(?:\\?[\"'])?\s?[=:]\s?(?:\\?[\"'])?[A-Za-z0-9+/_.!@#%^&*-]{12,}",
    ),
)


@cache
def _pattern(numbers: tuple[int, ...]) -> re.Pattern[bytes]:
    """The pattern that finds these shapes, the first of them where several match."""
    shapes = (f"(?P<s{number}>{_SHAPES[number].pattern})" for number in numbers)
    return re.compile("|".join(shapes).encode(), re.ASCII)


class Secret(NamedTuple):
    """A step that holds what looks like a secret, and what it looks like."""

    step: str
    kind: str


def secrets_in(graph: Graph, pace: Pace | None = None) -> list[Secret]:
    """What looks like a secret: each kind once per step, at most `MOST`. Cancelled through `pace`."""
    pace = pace or Pace()
    found: list[Secret] = []
    for position, raw in enumerate(graph.raws):
        if position % STEPS_BETWEEN == 0:
            pace.at(position / max(len(graph), 1))
        text = bytes(raw)
        likely = tuple(number for number, shape in enumerate(_SHAPES) if any(map(text.__contains__, shape.words)))
        if not likely:
            continue
        kinds = {_SHAPES[int(match.lastgroup[1:])].kind for match in _pattern(likely).finditer(text) if match.lastgroup}
        found += [Secret(graph.ids[position], kind) for kind in sorted(kinds)]
        if len(found) >= MOST:
            return found[:MOST]
    return found
