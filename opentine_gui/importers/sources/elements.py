"""Elements such as `<name>…</name>` in recorded texts: found by plain search, so that the time follows the length.

A pattern would look for the end of every element that has none through the whole text.
"""

from __future__ import annotations


def element(text: str, name: str) -> str | None:
    """What stands in the first element of a name, up to its first end; None without one."""
    begin = text.find(f"<{name}>")
    end = text.find(f"</{name}>", begin) if begin >= 0 else -1
    return text[begin + len(name) + 2 : end] if end >= 0 else None


def without_elements(text: str, name: str) -> str:
    """The text without the elements of a name, and without what stands in them."""
    parts = []
    at = 0
    while (begin := text.find(f"<{name}>", at)) >= 0 and (end := text.find(f"</{name}>", begin)) >= 0:
        parts.append(text[at:begin])
        at = end + len(name) + 3
    return "".join((*parts, text[at:]))
