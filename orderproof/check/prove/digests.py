"""What a theorem states, as one digest: what a citation carries, and what another project pins.

The digest of a theorem is the SHA-256 of the digests of its claims and headlines, in their order,
each with a line's end; before one that is not expected to be proved stands what is expected. A list
of pinned digests has a line "id digest" for each theorem; # begins a comment.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path

from orderproof import input_file
from orderproof.check.claims import TheoremFile
from orderproof.check.page import TheoremPage
from orderproof.check.rocq.headlines import headline
from orderproof.proofs import catalogue
from orderproof.symbolic.statements.text import digest

LARGEST = 2**24  # bytes of a list


def combined(digests: Iterable[str]) -> str:
    """The digest of a theorem whose claims have these."""
    return hashlib.sha256("".join(f"{d}\n" for d in digests).encode()).hexdigest()


def of_theorem(theorem: TheoremFile) -> str:
    """The digest of what a theorem file states; no mark is made, and nothing is printed."""
    found = (headline(name) for name in (*theorem.headlines, *theorem.refuted))
    stated = (_as_printed(x.digest, x.source) for x in found)
    claims = (_expecting(c.expected, digest(c.statement)) for c in theorem.claims)
    return combined([*claims, *stated])


def of_page(page: TheoremPage) -> str:
    """The same, of a theorem's page."""
    return combined(
        _as_printed(claim.digest, claim.statement.plain) if claim.headline
        else _expecting(claim.expected, claim.digest)
        for claim in page.claims
    )  # fmt: skip


def _as_printed(record: str, source: str) -> str:
    """The digest of a headline: of its record, which Rocq made, and of the words that are printed,
    since the two are compared only where Rocq is asked."""
    return hashlib.sha256(f"{record}\n{source}".encode()).hexdigest()


def _expecting(expected: str, digest: str) -> str:
    """A digest as it is, if it is of what is to be proved: a list pins what holds, not formulas."""
    return digest if expected == "proved" else f"{expected} {digest}"


class BadList(ValueError):
    """A list of digests that cannot be read: one line that says where and what was expected."""


def listed(ids: Iterable[str]) -> str:
    """A list of the digests of these theorems, as they stand."""
    lines = (f"{name} {of_theorem(catalogue.load(name))}\n" for name in ids)
    return f"# what theorems state, orderproof {version('orderproof')}\n" + "".join(lines)


def read(path: Path) -> dict[str, str]:
    """The digests that a list pins, by id; BadList where it is none, or pins nothing."""
    data = input_file.read(path, LARGEST, "a list of digests", BadList)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadList(f"{path}: given no text in UTF-8, expected a list of digests") from None
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].split()
        if not said:
            continue
        if len(said) != 2 or not re.fullmatch(r"[a-z0-9_]+", said[0]) or said[0] in found:
            raise BadList(f"{path}, line {number}: given {line[:60]!r}, expected an id, once, and "
                          "its digest")  # fmt: skip
        if not re.fullmatch("[0-9a-f]{64}", said[1]):
            raise BadList(f"{path}, line {number}: given the digest {said[1][:70]!r}, expected 64 "
                          "letters of 0-9a-f")  # fmt: skip
        found[said[0]] = said[1]
    if not found:
        raise BadList(f"{path}: pins nothing, expected lines with an id and its digest")
    return found


def changed(pinned: Mapping[str, str]) -> list[str]:
    """A line for each theorem that no longer states what is pinned, or is no longer there."""
    lines = []
    for name, was in pinned.items():
        if name not in catalogue.IDS:
            lines.append(f"{name}: pinned {was[:16]}…, {catalogue.unknown(name)}")
        elif (now := of_theorem(catalogue.load(name))) != was:
            lines.append(f"{name}: pinned {was[:16]}…, states {now[:16]}… now")
    return lines
