"""Certificates as texts, and what a catalogue says of them: shared by the tests of recheck."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import reduce
from pathlib import Path

from orderproof.symbolic.models.builders import (
    add,
    moved,
    multiply,
    number,
    subtract,
    tensor,
    total,
)
from orderproof.symbolic.smt.certificate import ABOUT, MANIFEST, header, lines_of
from orderproof.symbolic.smt.chain import by_chain
from orderproof.symbolic.smt.models_of_assumptions import model
from orderproof.symbolic.statements.statement import Atom, Statement

from .chain_statements import a, n, sigma

x, y = tensor("x"), tensor("y")
SUM = Statement(Atom(total(moved(a, j=sigma), "j"), "=", total(a, "j")))
Lines = Mapping[str, tuple[str, ...]]


def refuted() -> Statement:
    """A falsehood that can be asked."""
    return Statement(Atom(total(a, "j"), "=", total(tensor("b", j=n), "j")))


def vacuous() -> Statement:
    """x = y where x is less than itself: the assumptions contradict each other at once."""
    below = Atom(x, "<", number(0)), Atom(number(0), "<", x)
    return Statement(Atom(x, "=", y), frozenset(below))


def slowly_vacuous(count: int) -> Statement:
    """x = x under the opposite of the inequality of means for so many numbers: no solver finds the
    contradiction at once, and the question itself is nothing."""
    of = [tensor(f"x{k}") for k in range(count)]
    powers = reduce(add, (reduce(multiply, [t] * count) for t in of))
    means = subtract(powers, reduce(multiply, of, number(count)))
    return Statement(Atom(x, "=", x), frozenset({Atom(means, "<", number(0))}))


def certificates_of(
    theorem: str, s: Statement, *steps: str, modelled: bool = True
) -> dict[str, str]:
    """The certificates of a theorem with this claim alone, by their names without ending."""
    ((served, questions),) = by_chain(*steps).served(s).items()
    about = {"theorem": (theorem,), "title": ("Title",), "claim": ("claim",)}
    about["serves"] = (served.line(),)
    return {
        f"{theorem}_{o.name}": o.smtlib({**about, "model": model(o) if modelled else ()})
        for o in questions
    }


def believed(**texts: str) -> dict[str, Lines]:
    """A catalogue that says of each of these files what its own header says."""
    return {f"{name}.smt2": lines_of(text, ABOUT) for name, text in texts.items()}


# The certificates of the theorem, so far as this catalogue goes: each kind once, few to be asked.
TEXTS = {
    name: text
    for name, text in certificates_of("sum_act", SUM, "permute").items()
    if name.endswith(("outside_base", "update_base", "swap", "permuted_step", "goal"))
}
SWAP = TEXTS["sum_act_sum_swap"]
GOAL = SWAP[SWAP.rindex("(assert ") : SWAP.rindex("(check-sat)")]
KNOWN = {"sum_act": believed(**TEXTS)}


def known(theorem: str) -> Mapping[str, Lines] | None:
    """The catalogue of one theorem."""
    return KNOWN.get(theorem)


def with_model(text: str, *lines: str) -> str:
    """A certificate with another model."""
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("; model: ")]
    place = next(k for k, line in enumerate(kept) if line.startswith("; states: "))
    return "".join([*kept[:place], *(f"; model: {line}\n" for line in lines), *kept[place:]])


def write(folder: Path, recorded: bool = True, **texts: str) -> Path:
    """A folder of certificates, with their manifest."""
    for name, text in texts.items():
        (folder / f"{name}.smt2").write_text(text, "utf-8")
    rows = {
        f"{name}.smt2": {"sha256": hashlib.sha256(t.encode()).hexdigest(), **header(t)}
        for name, t in texts.items()
    }
    if recorded:
        (folder / MANIFEST).write_text(json.dumps(rows), "utf-8")
    return folder
