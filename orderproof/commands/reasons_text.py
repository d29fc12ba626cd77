"""Why `orderproof symmetry` says that these permutations are the group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .symmetry_text import count

if TYPE_CHECKING:
    from orderproof.numeric.groups.automorphisms import Group
    from orderproof.numeric.groups.symmetry import Layer

TENSORS = {  # what a position tensor of the model stands for, and what shows a σ that changes it
    "G": ("G = exp B̃, weights, where B̃ is B minus its row maxima (−∞: 0)",
          "with W_Q = 0 the attention weights are those of B̃ alone (score_bias_iff)"),
    "E": ("E the rows that are added to the tokens",
          "with X = −PᵀE, f(PX) is 0 and P f(X) is not (additive_position_iff)"),
    "A": ("A the relative keys, generic for each offset after clipping",
          "with W_K = 0 and query 1 the scores are a generic bias (score_bias_iff)"),
    "R": ("R the rotations by j − i",
          "for one query and one key the score changes, as no two offsets have the same rotation"),
}  # fmt: skip


def reasons(layer: Layer, group: Group) -> list[str]:
    """The reasons for both inclusions, as sentences; what the kernel derives is derived here."""
    lines = [_derived(layer)]
    if group.generators:
        made = count(len(group.generators), "generator")
        lines.append(f"In the group: {made} checked against this, entry by entry.")
    shown = "; ".join(TENSORS[x][1] for x in layer.letters if x in TENSORS)
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
        "term that it reaches in L − 1 steps; by the kernel at depth 1, by induction on the layers "
        "beyond."
    )
    return lines


def _derived(layer: Layer) -> str:
    """The kernel's theorem, derived now: σ is a symmetry where it keeps the position tensors."""
    from orderproof.numeric.groups.automorphisms import EngineError
    from orderproof.symbolic.readings.notation import Plain
    from orderproof.symbolic.readings.printer import Printer, Style
    from orderproof.symbolic.schemes.models import (
        equivariance,
        equivariant,
        last_row,
        same_last_row,
    )

    derived, row = equivariant(layer.letters), last_row(layer.letters, 1)
    wanted = equivariance(layer.letters), same_last_row(layer.letters)
    if derived is None or not (wanted[0].proved_by(derived) and wanted[1].proved_by(row)):
        raise EngineError(f"the kernel did not derive the symmetry for {layer.letters}")
    plain, named = Printer(Plain(), Style()), dict(enumerate("ijkl"))
    hyps = sorted(
        " = ".join(plain.indices(t.rename(named)) for t in sides) for sides in derived.hyps
    )
    where = "; ".join(TENSORS[x][0] for x in layer.letters if x in TENSORS)
    return (
        f"Why: {derived.says} for all n, d and weights if {' and '.join(hyps)}, derived by the "
        f"kernel in this run; {where}."
    )
