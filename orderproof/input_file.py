"""Files from outside, all opened here: without waiting, and only if regular and not too large.

A name may be that of a pipe that nobody writes to, of a device that never ends, or of a folder.
What was opened is examined, not what had the name a moment before; symbolic links are followed.
But safetensors, and onnxruntime of a model to measure in pytest, open by its name what was examined
here just before. It imports the standard library alone, so that every folder can use it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from io import BufferedReader

Name = str | os.PathLike[str]

# O_NOCTTY: a terminal does not become that of the process. Windows has none of these.
FLAGS = sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))
KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
REASONS = {
    errno.ENOENT: "no such file",
    errno.ENOTDIR: "no such file",
    errno.ENXIO: "a socket or a device",
    errno.EISDIR: "a folder",
}
LARGEST_MODEL = 2**31 - 1  # bytes of an ONNX file: protobuf reads no more
LARGEST_DATA = 2**40  # bytes of a file of external data


def escaped(text: str) -> str:
    """A text with its unprintable characters written as Python does."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(path: object) -> str:
    """A path as a message shows it: in quotes where it is empty or has unprintable characters."""
    text = str(path)
    return text if text and text.isprintable() else repr(text)


@contextmanager
def opened(
    path: Name,
    most: int,
    expected: str,
    error: type[Exception] = ValueError,
    called: str | None = None,
) -> Iterator[BufferedReader]:
    """The regular file of this name, of at most so many bytes when it is opened, for reading.

    Anything else is refused by `error` with one line: the file, `called` so or by its name, what
    was given, and what is `expected`.
    """
    with ExitStack() as stack:
        with _refusals(shown(path) if called is None else called, expected, error):
            file = stack.enter_context(open(path, "rb", opener=partial(_regular, most=most)))
        yield file


def read(
    path: Name,
    most: int,
    expected: str,
    error: type[Exception] = ValueError,
    called: str | None = None,
) -> bytes:
    """The bytes of the regular file of this name, at most so many; otherwise `error`, as above."""
    name = shown(path) if called is None else called
    with opened(path, most, expected, error, name) as file, _refusals(name, expected, error):
        data = file.read(most + 1)
        if len(data) > most:  # it grew, or has no size, as those in /proc
            raise _Refused(_too_large(len(data), most))
        return data


class _Refused(Exception):
    """What is no regular file, or is too large."""


@contextmanager
def _refusals(name: str, expected: str, error: type[Exception]) -> Iterator[None]:
    """Whatever keeps a file from being opened, or read, as the line of `error`."""
    try:
        yield
        return
    except _Refused as e:
        reason = str(e)
    except OSError as e:
        reason = REASONS.get(e.errno or 0, f"a file that cannot be read ({e.strerror})")
    except ValueError:  # with a null character, or a lone surrogate
        reason = "a name that no file has"
    raise error(f"{name}: given {reason}, expected {expected}")


def _too_large(size: int, most: int) -> str:
    return f"{size:,} bytes, which is more than {most:,}"


def _regular(path: str, flags: int, most: int) -> int:
    """A descriptor of a regular file; it is opened first, so that no other can take its name."""
    descriptor = os.open(path, flags | FLAGS)
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFREG and status.st_size <= most:
        return descriptor
    os.close(descriptor)
    if kind == stat.S_IFREG:
        raise _Refused(_too_large(status.st_size, most))
    raise _Refused(KINDS.get(kind, "no regular file"))
