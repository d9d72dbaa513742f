"""What a person typed in a prompt to which their editor added text."""

from __future__ import annotations

_FROM_EDITOR, _REQUEST = "# Context from my IDE setup:", "## My request for Codex:"
"""How a prompt begins to which an editor added what is open there, and what stands before the person's own words."""


def typed(prompt: str) -> str:
    """The typed part of a prompt, without what the editor put before it."""
    if not prompt.lstrip().startswith(_FROM_EDITOR):
        return prompt
    return prompt.partition(_REQUEST)[2].strip() or prompt
