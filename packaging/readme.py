"""The README as a package shows it, where the files beside it are missing: a metadata hook of hatchling.

With a `Source` under `[project.urls]` relative links and pictures become addresses below it; without one links become
plain words and pictures their captions, so that nothing is broken anywhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # missing where no packages are built, as in the tests of `outside`
    MetadataHookInterface = object

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)]+)\)")


def outside(text: str, source: str = "") -> str:
    """`text` (Markdown) for readers who have no files beside it; `source` is the address of the repository, or ""."""

    def changed(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if source:
            return f"{picture}[{words}]({source.rstrip('/')}/{'raw' if picture else 'blob'}/main/{target})"
        return f"*{words}*" if picture else words

    return _LINK.sub(changed, text)


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc]
    """Sets the package's long description."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add `readme` to the metadata."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        source = metadata.get("urls", {}).get("Source", "")
        metadata["readme"] = {"content-type": "text/markdown", "text": outside(text, source)}


def get_metadata_hook() -> type[MetadataHookInterface]:
    """What hatchling asks the module for."""
    return ReadmeHook
