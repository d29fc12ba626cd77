"""A JSON file that begins with the SHA-256 of its contents: an accident to any byte is noticed. It
guards against no attack: whoever writes the contents can write their digest."""

from __future__ import annotations

import hashlib

HEAD, MIDDLE, TAIL = b'{"sha256": "', b'", "entry":\n', b"}\n"
HEX = 64


class NotSealed(ValueError):
    """A file whose digest is not that of its contents."""


def sealed(body: bytes) -> bytes:
    """The bytes of a file: a JSON object of the contents and their SHA-256."""
    return HEAD + hashlib.sha256(body).hexdigest().encode() + MIDDLE + body + TAIL


def opened(raw: bytes) -> bytes:
    """The contents of a file; NotSealed where any byte of it is another."""
    body = raw[len(HEAD) + HEX + len(MIDDLE) : -len(TAIL)]
    if raw != sealed(body):
        raise NotSealed("given bytes that are not those of their SHA-256")
    return body
