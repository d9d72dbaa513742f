"""Binary content in recorded texts: data URLs and base64 of pictures and PDFs, recognised by how they begin."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from opentine_gui.describe.numbers import format_bytes
from opentine_gui.scene.text.clean import clean

LARGEST = 60_000_000
"""Most characters of base64 that are decoded."""
_MAGIC = (
    ("iVBORw0KGg", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\s]*+={0,2}\s*\Z")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[\w.+-]+)*);base64,", re.IGNORECASE)
_SHORTEST = 64
_NEITHER = re.compile(r"[^A-Za-z0-9+/=]+")
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
            "application/pdf": ".pdf"}  # fmt: skip


class Media(NamedTuple):
    """Binary content: its media type, its size in bytes, and the text that holds its base64 from `start` on."""

    kind: str
    size: int
    text: str
    start: int = 0

    @property
    def words(self) -> str:
        """Type and size: `image/png · 48 kB`."""
        return f"{self.kind} · {format_bytes(self.size)}"

    @property
    def suffix(self) -> str:
        """The file suffix for this type."""
        return SUFFIXES.get(self.kind, ".bin")


def media_of_text(text: str) -> Media | None:
    """The media in a data URL, or in the base64 of a picture or PDF; else None. Looks at the beginning only."""
    if len(text) < _SHORTEST:
        return None
    if text[:5].lower() == "data:":
        match = _DATA_URL.match(text[:256])
        if match and _looks_encoded(text[match.end() : match.end() + 512]):
            kind = (match[1] or "text/plain").lower()
            return Media(kind, (len(text) - match.end()) * 3 // 4, text, match.end())
        return None
    for magic, kind in _MAGIC:
        if text.startswith(magic) and _looks_encoded(text[:512]) and _begins_as(kind, text):
            return Media(kind, len(text) * 3 // 4 - text[-2:].count("="), text)
    return None


def media_of_object(value: Mapping[str, Any]) -> Media | None:
    """The media in an object of the common form {"media_type": …, "data": base64}, else None."""
    data = value.get("data")
    kind = value.get("media_type") or value.get("mime_type") or value.get("mimeType")
    if isinstance(data, str) and isinstance(kind, str) and len(data) >= _SHORTEST and _looks_encoded(data[:512]):
        return Media(clean(kind, 60).lower(), len(data) * 3 // 4, data)
    return None


def media_bytes(media: Media) -> bytes:
    """The recorded bytes; ValueError with a sentence if there are too many or the text is not base64."""
    if len(media.text) - media.start > LARGEST:
        raise ValueError(f"it is larger than {format_bytes(LARGEST * 3 // 4)}")
    text = media.text[media.start :].replace("-", "+").replace("_", "/")
    text = _NEITHER.sub("", text).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise ValueError("it is no complete base64") from error


def _looks_encoded(text: str) -> bool:
    return bool(text) and _BASE64.match(text) is not None


def _begins_as(kind: str, text: str) -> bool:
    """Tell a JPEG's or WebP's base64 from an ordinary path or word that begins with the same letters."""
    try:
        head = base64.b64decode(text[:64], validate=True)
    except binascii.Error:
        return False
    if kind == "image/jpeg":
        return head[:3] == b"\xff\xd8\xff" and (head[3] == 0xDB or head[3] >= 0xE0)
    if kind == "image/webp":
        return head[8:12] == b"WEBP"
    return True
