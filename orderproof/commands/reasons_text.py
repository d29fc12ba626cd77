"""Why `orderproof symmetry` says that these permutations are the group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from orderproof.symbolic.counting import count

if TYPE_CHECKING:
    from orderproof.numeric.groups.symmetry import Answer, Layer

TENSORS = {  # what a position tensor of the model stands for, and what shows a σ that changes it
    "G": ("G is exp of the bias, each row divided by its largest entry, and 0 where masked",
          "with W_Q = 0 the attention weights are the rows of G, divided by their sums"),
    "E": ("E the rows that are added to the tokens",
          "some tokens and weights show that rows differ"),
    "A": ("A the relative keys, generic for each offset after clipping",
          "with W_K = 0 the scores are those of the keys"),
    "R": ("R the rotations by j − i",
          "for one query and one key the score changes, as no two offsets have the same rotation"),
}  # fmt: skip

GROUPS = {letter: says for letter, (says, _) in TENSORS.items()}
SCHEMES = GROUPS | {  # the same of a scheme, which has bias and mask apart
    "B": "B is the bias that is added to the scores",
    "G": "G is 1 where a token may attend to another, and 0 elsewhere",
}

ON_PAPER = {  # tensors for which the theorem on types is carried over by an argument on paper
    "A": "relative keys, which count each pair by its key",
    "R": "rotations, which count each pair by its offset",
    "E": "added rows, a token and its row being one type",
}


def reasons(layer: Layer, answer: Answer) -> list[str]:
    """The reasons for both inclusions, as sentences; what the kernel derives is derived here.
    Raises EngineError where it derives another thing."""
    from orderproof.check.prove.standing import cited
    from orderproof.numeric.groups.symmetry import THEOREMS, TYPES

    group = answer.layer
    lines = [derived(layer.letters, GROUPS)]
    if group.generators:
        made = count(len(group.generators), "generator")
        lines.append(f"In the group: {made} checked against this, entry by entry.")
    shown = "; ".join(f"{TENSORS[x][1]} ({cited(THEOREMS[x])})" for x in layer.letters)
    lines.append(
        f"No others: a σ that changes it changes an output: {shown}. That no more σ keep it:"
    )
    orbits = " the order is that of the checked orbits along a chain of stabilisers"
    if not group.proved:
        lines[-1] += " there may be more than were found, because the search was stopped."
    elif group.tight:
        lines[-1] += f"{orbits}, and colour refinement allows no larger orbit."
    else:
        lines[-1] += f"{orbits}; what colour refinement allows beyond was searched to the end."
    lines.append(
        "Context at depth L, with skips: σ fixes the last token and keeps each row of the position "
        "term that it reaches in L − 1 steps. By the kernel at depth 1, beyond because these are "
        f"the σ that keep the last token's type, where all tokens differ ({cited(TYPES)})."
    )
    for letter in layer.letters:
        if letter in ON_PAPER:
            lines[-1] += f" On paper: it is carried over to {ON_PAPER[letter]}."
    return lines


def derived(letters: str, names: Mapping[str, str]) -> str:
    """The kernel's theorem about attention with these position tensors, derived now: σ is a
    symmetry where it keeps them. Raises EngineError where another theorem comes out."""
    from orderproof.numeric.groups.automorphisms import EngineError
    from orderproof.symbolic.readings.notation import Plain
    from orderproof.symbolic.readings.printer import Printer, Style
    from orderproof.symbolic.schemes.models import (
        equivariance,
        equivariant,
        last_row,
        same_last_row,
    )

    found, row = equivariant(letters), last_row(letters, 1)
    wanted = equivariance(letters), same_last_row(letters)
    if found is None or not (wanted[0].proved_by(found) and wanted[1].proved_by(row)):
        raise EngineError(f"the kernel did not derive the symmetry for {letters}")
    plain, named = Printer(Plain(), Style()), dict(enumerate("ijkl"))
    hyps = sorted(" = ".join(plain.indices(t.rename(named)) for t in sides) for sides in found.hyps)
    where = "; ".join(names[x] for x in letters)
    return (
        f"Why: {found.says} for all n, d and weights if {' and '.join(hyps)}, derived by the "
        f"kernel in this run; {where}."
    )
