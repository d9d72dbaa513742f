"""What a person typed in a prompt to which their editor added text, or that begins with files they dropped there."""

from __future__ import annotations

import re

_FROM_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
"""The heading of the context that an editor adds, and the heading of the person's own words after it."""

_DROPPED = re.compile(
    r"""(?:\s{0,99}(?:'/[^'\n]{1,400}'|"/[^"\n]{1,400}"|/(?:[^\s\\]|\\.){1,400}\.\w{1,8})[ \t]{0,99}(?:\n|$)){1,20}"""
)
"""Lines at the beginning of a prompt with one file path each, as terminals write files dropped on them."""


def typed(prompt: str) -> str:
    """The typed part of a prompt, without what the editor put before it or the paths of dropped files."""
    if _FROM_EDITOR in prompt[:1_000] and prompt.lstrip().startswith(_FROM_EDITOR):
        prompt = prompt.partition(_REQUEST)[2].strip() or prompt
    dropped = _DROPPED.match(prompt)
    return (prompt[dropped.end() :].strip() if dropped else "") or prompt
