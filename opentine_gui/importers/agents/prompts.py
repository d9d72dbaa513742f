"""What a person typed of a prompt that their editor added to."""

from __future__ import annotations

_FROM_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
"""How a prompt begins to which an editor added what is open there, and what stands before the person's own words."""


def typed(prompt: str) -> str:
    """What a person typed of a prompt: without what their editor put before it."""
    if not prompt.lstrip().startswith(_FROM_EDITOR):
        return prompt
    return prompt.partition(_REQUEST)[2].strip() or prompt
