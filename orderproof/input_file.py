"""Files from outside, all opened here: without waiting, only if regular, and read up to a bound.

A name may be that of a pipe that nobody writes to, of a device that never ends, or of a folder.
What was opened is examined, not what had the name a moment before; symbolic links are followed.
It imports the standard library alone, so that every folder can use it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
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
    """The regular file of this name, of at most so many bytes, open for reading.

    Anything else is refused by `error` with one line: the file, `called` so or by its name, what
    was given, and what is `expected`.
    """
    name = shown(path) if called is None else called
    try:
        if "\0" in os.fspath(path):
            raise _Refused("a name that no file has")
        with open(path, "rb", opener=_regular) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise _Refused(_too_large(size, most))
            yield file
    except _Refused as e:
        raise error(f"{name}: given {e}, expected {expected}") from None
    except OSError as e:
        reason = REASONS.get(e.errno or 0, f"a file that cannot be read ({e.strerror})")
        raise error(f"{name}: given {reason}, expected {expected}") from None


def read(
    path: Name,
    most: int,
    expected: str,
    error: type[Exception] = ValueError,
    called: str | None = None,
) -> bytes:
    """The bytes of the regular file of this name, at most so many; otherwise `error`, as above."""
    with opened(path, most, expected, error, called) as file:
        data = file.read(most + 1)
        if len(data) > most:  # it grew, or has no size, as those in /proc
            raise _Refused(_too_large(len(data), most))
        return data


class _Refused(Exception):
    """What is no regular file, or is too large."""


def _too_large(size: int, most: int) -> str:
    return f"{size:,} bytes, which is more than {most:,}"


def _regular(path: str, flags: int) -> int:
    """A descriptor of a regular file; it is opened first, so that no other can take its name."""
    descriptor = os.open(path, flags | FLAGS)
    kind = stat.S_IFMT(os.fstat(descriptor).st_mode)
    if kind == stat.S_IFREG:
        return descriptor
    os.close(descriptor)
    raise _Refused(KINDS.get(kind, "no regular file"))
