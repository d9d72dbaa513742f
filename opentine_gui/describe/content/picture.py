"""Recorded pictures: their size, and their pixels within bounds that no file can exceed. By Pillow."""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.describe.content.media import Media, media_bytes

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
KINDS = frozenset({"image/png", "image/jpeg", "image/jpg", "image/webp", "image/gif"})
MOST_PIXELS = 60_000_000
"""Pixels of a picture that is decoded at most; a larger one is said to be too large."""
LARGEST_SIDE = 4096
"""A larger picture is made smaller: textures have bounds."""
_BROKEN = (OSError, ValueError, SyntaxError, EOFError, MemoryError, OverflowError, Warning)


class Pixels(NamedTuple):
    """A decoded picture: size in pixels and its RGBA bytes."""

    width: int
    height: int
    data: bytes


def picture_size(media: Media) -> tuple[int, int, str]:
    """(width, height, format) of a recorded picture; ValueError with a sentence if it cannot be shown."""
    with _open(media_bytes(media)) as image:
        return (*image.size, str(image.format))


def decode(media: Media, level: int = 0) -> Pixels:
    """The first frame of a recorded picture, halved `level` times; ValueError if it cannot be shown."""
    from PIL.Image import DecompressionBombError

    with _open(media_bytes(media)) as image:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                most = LARGEST_SIDE, LARGEST_SIDE
                image.draft("RGB", most)
                shown = image.convert("RGBA")
                shown.thumbnail(most)
                if level > 0:
                    shown = shown.reduce(2**level)
        except (*_BROKEN, DecompressionBombError) as error:
            raise ValueError(f"it cannot be decoded: {type(error).__name__}") from error
        return Pixels(*shown.size, shown.tobytes())


def _open(data: bytes) -> Image.Image:
    from PIL import Image  # takes 80 ms, so not before a picture is shown

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
