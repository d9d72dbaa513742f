"""Recorded pictures: their size, and their pixels within fixed limits. By Pillow."""

from __future__ import annotations

import struct
import warnings
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.describe.content.media import Media, media_bytes

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
KINDS = frozenset({"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"})
MOST_PIXELS = 60_000_000
"""Most pixels of a picture that is decoded; a larger one is reported as too large."""
LARGEST_SIDE = 4096
"""Most pixels of a side; larger pictures are scaled down, because textures are limited."""
_ORIENTATION = 0x0112
_TURNS = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
"""EXIF's orientation to the `PIL.Image.Transpose` that sets it upright."""
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, MemoryError, OverflowError, Warning)


class Pixels(NamedTuple):
    """A decoded picture: size in pixels and its RGBA bytes."""

    width: int
    height: int
    data: bytes


def picture_size(media: Media) -> tuple[int, int, str]:
    """(width, height, format) of a recorded picture; ValueError with a sentence if it cannot be shown."""
    with _open(media_bytes(media)) as image:
        width, height = image.size
        return (height, width, str(image.format)) if _turned(image) > 4 else (width, height, str(image.format))


def decode(media: Media, level: int = 0) -> Pixels:
    """The first frame of a recorded picture, halved `level` times; ValueError if it cannot be shown."""
    from PIL.Image import DecompressionBombError, Transpose

    with _open(media_bytes(media)) as image:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                most = LARGEST_SIDE, LARGEST_SIDE
                image.draft("RGB", most)
                turned = _TURNS.get(_turned(image))
                shown = image.convert("RGBA")
                shown.thumbnail(most)
                if turned is not None:
                    shown = shown.transpose(Transpose(turned))
                if level > 0:
                    shown = shown.reduce(2**level)
        except (*_BROKEN, DecompressionBombError) as error:
            raise ValueError("its data are damaged, or cut off") from error
        return Pixels(*shown.size, shown.tobytes())


def _turned(image: Image.Image) -> int:
    """The EXIF orientation: 1 for upright; from 5 on, width and height are swapped."""
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except (*_BROKEN, struct.error, LookupError, TypeError):
        return 1
    return found if isinstance(found, int) and 1 <= found <= 8 else 1


def _open(data: bytes) -> Image.Image:
    from PIL import Image  # takes 80 ms, so it waits until a picture is shown

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(BytesIO(data), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise ValueError(f"it has more than {MOST_PIXELS:,} pixels") from error
    except _BROKEN as error:
        raise ValueError("it is no PNG, JPEG, WebP or GIF") from error
    if image.size[0] * image.size[1] > MOST_PIXELS:
        image.close()
        raise ValueError(f"it has more than {MOST_PIXELS:,} pixels")
    return image
