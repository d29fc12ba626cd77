"""What a layer of trust found, and what that says of a claim: it settles it, confirms it, or not.

Evidence carries the statement that it establishes, computed from what was checked. Nothing else
connects a mark with a claim. Trusted with the kernel, as is `statement.uncovered`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .statement import Sizes, Statement, not_refuted, uncovered


@dataclass(frozen=True)
class Evidence:
    """ok (None: undecided), in words, and what is established where it is ok.

    A `sweep` tried cases, of sizes or of values: it confirms, and never settles. `refutes` says, of
    what is not ok, that a case was found in which `states` (the claim itself, if none) is false.
    """

    ok: bool | None
    detail: str
    states: Statement | None = None
    sweep: bool = False
    refutes: bool = False


Check = Callable[[Statement], Evidence]  # looks at a statement; it may find another one


@dataclass(frozen=True)
class Weight:
    """What evidence says of a claim: ok, and whether it settles it or shows that it is false."""

    ok: bool | None
    detail: str
    settles: bool = False
    refutes: bool = False


def weigh(claimed: Statement, found: Evidence) -> Weight:
    """Settled where what was shown covers the claim; confirmed where it covers it at sizes of its
    own, hypotheses alike; refuted where it shows the opposite; else not ok, with the reason."""
    shown = found.states
    if found.ok is False and found.refutes:
        other = uncovered(claimed, shown) if shown is not None else ""
        said = f"a refutation of something else: {other}" if other else found.detail
        return Weight(False, said, refutes=not other)
    if found.ok is not True or shown is None:
        return Weight(found.ok and None, found.detail)
    if other := uncovered(replace(shown, sizes=Sizes()), replace(claimed, sizes=Sizes())):
        if not found.sweep and not not_refuted(shown, claimed):
            return Weight(False, f"the opposite holds: {found.detail}", refutes=True)
        return Weight(False, other)
    fewer = claimed.sizes.within(shown.sizes)
    if fewer and (not shown.sizes.of or shown.sizes.within(claimed.sizes)):
        return Weight(False, fewer)
    if found.sweep and shown.atom.relation == "≠" and not shown.exists:
        return Weight(None, "cases do not prove ≠ for all values")
    return Weight(True, found.detail, settles=not fewer and not found.sweep)
