"""Finds what looks like a secret in a run: keys of well-known services, private keys, passwords in assignments.

The patterns follow what the services document about their keys. A secret is named by its kind and never repeated.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.progress import Pace

MOST = 200
STEPS_BETWEEN = 200

_SHAPES: dict[str, str] = {
    "a private key": r"-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----",
    "a key of Anthropic": r"\bsk-ant-[A-Za-z0-9_-]{20,}",
    "a key of OpenAI": r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,}",
    "a token of GitHub": r"\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})",
    "a token of GitLab": r"\bglpat-[A-Za-z0-9_-]{20,}",
    "a key of AWS": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}",
    "a token of Slack": r"\bxox[abeoprs]-[0-9A-Za-z-]{10,}",
    "a token of Hugging Face": r"\bhf_[A-Za-z0-9]{30,}",
    "a token of npm": r"\bnpm_[A-Za-z0-9]{36}",
    # Only at the beginning of a word: trying every `eyJ` inside a long word would take quadratic time.
    "a web token": (
        r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?\beyJ[A-Za-z0-9_-]{10})[A-Za-z0-9_-]++"
        r"\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    ),
    "a password": (
        r"\b[A-Za-z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|API_?KEY|ACCESS_TOKEN|AUTH_TOKEN)"
        r"(?:\\?[\"'])?\s?[=:]\s?(?:\\?[\"'])?[A-Za-z0-9+/_.!@#%^&*-]{12,}"
    ),
}
_ANY = re.compile(
    "|".join(f"(?P<s{number}>{shape})" for number, shape in enumerate(_SHAPES.values())).encode(), re.ASCII
)
_NAMES = tuple(_SHAPES)


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
        kinds = {_NAMES[int(match.lastgroup[1:])] for match in _ANY.finditer(bytes(raw)) if match.lastgroup}
        found += [Secret(graph.ids[position], kind) for kind in sorted(kinds)]
        if len(found) >= MOST:
            return found[:MOST]
    return found
