"""Helpers for decoded pictures: recognise, write, and repaint them."""

import io
from typing import Any

import numpy as np
from PIL import Image


def is_picture(value: Any) -> bool:
    """Returns whether a value is a decoded picture, as hooks pass it to a model."""
    return isinstance(value, Image.Image)


def png(picture: Image.Image) -> bytes:
    """Returns a picture as PNG bytes."""
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def channels_reversed(picture: Image.Image) -> Image.Image:
    """Returns a picture with blue and red exchanged."""
    return Image.fromarray(np.asarray(picture)[..., ::-1])
