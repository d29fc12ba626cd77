"""Names for tensors and for what they become when others take their place: Q, and Q primed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from orderproof.symbolic.calculus.terms import Op, Term
from orderproof.symbolic.derive.push import Motion
from orderproof.symbolic.derive.steps import Named
from orderproof.symbolic.models.builders import image


def primed(here: Iterable[Named], there: Iterable[Named]) -> tuple[list[Named], dict[str, str]]:
    """Primed names for what differs from that of the same name here; and which is which."""
    pairs = zip(here, there, strict=True)
    found = {
        old.name: replace(new, name=prime(old.name)) for old, new in pairs if new.term != old.term
    }
    return list(found.values()), {new.name: old for old, new in found.items()}


def primed_images(
    here: Sequence[Named], moves: Mapping[Op, Motion]
) -> tuple[list[Named], dict[str, str]]:
    """Primed names for what changes when tensors are moved; and which is which, X′ of X too."""
    images, pairs = primed(here, (replace(x, term=image(x.term, moves)) for x in here))
    return images, {"X'": "X"} | pairs


def like(new: Iterable[Named], old: Iterable[Named]) -> dict[str, str]:
    """Names of what is made alike, one by one."""
    return {x.name: y.name for x, y in zip(new, old, strict=True)}


def prime(name: str) -> str:
    """Q'_1 of Q_1."""
    base, line, below = name.partition("_")
    return f"{base}'{line}{below}"


def once(named: Iterable[Named]) -> list[Named]:
    """Each term under its first name."""
    found: dict[Term, Named] = {}
    for item in named:
        found.setdefault(item.term, item)
    return list(found.values())
