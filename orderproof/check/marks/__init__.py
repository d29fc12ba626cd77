"""Marks as data: each name gives what makes a check, and its module is imported when it is made.

So a theorem is read, printed and cited without SymPy, NumPy or a solver, unless its file computes:
an example, or witnesses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from orderproof.check.claims import Maker


def _made_by(module: str, name: str) -> Callable[..., Maker]:
    """The data of a check that this function makes of what it is given."""

    def given(*arguments: Any, **options: Any) -> Maker:
        return Maker(module, name, arguments, tuple(options.items()))

    return given


def _itself(module: str, name: str) -> Maker:
    """The data of a function that is a check."""
    return Maker(module, name, called=False)


if TYPE_CHECKING:
    from orderproof.symbolic.smt.chain import by_chain as by_chain

    from .choices import by_choice as by_choice
    from .exact import by_exact as by_exact
    from .exact import by_search as by_search
    from .exact import computed as computed
    from .numeric import by_numpy as by_numpy
    from .numeric import by_numpy_differs as by_numpy_differs
    from .sympy_entries import by_sympy as by_sympy
    from .sympy_entries import by_sympy_at as by_sympy_at
    from .sympy_entries import by_sympy_positive as by_sympy_positive
    from .sympy_entries import by_sympy_simplified as by_sympy_simplified
    from .sympy_entries import by_sympy_simplified_at as by_sympy_simplified_at
    from .sympy_entries import by_sympy_to as by_sympy_to
    from .sympy_entries import by_sympy_within as by_sympy_within
    from .waves import by_enclosures as by_enclosures
    from .waves import by_period as by_period
    from .waves import by_steps as by_steps
    from .waves import by_true_frequencies as by_true_frequencies
else:
    by_choice = _made_by("choices", "by_choice")
    by_exact = _made_by("exact", "by_exact")
    by_search = _made_by("exact", "by_search")
    by_numpy = _made_by("numeric", "by_numpy")
    by_numpy_differs = _made_by("numeric", "by_numpy_differs")
    by_sympy_at = _made_by("sympy_entries", "by_sympy_at")
    by_sympy_simplified_at = _made_by("sympy_entries", "by_sympy_simplified_at")
    by_sympy_to = _made_by("sympy_entries", "by_sympy_to")
    by_sympy_within = _made_by("sympy_entries", "by_sympy_within")
    by_enclosures = _made_by("waves", "by_enclosures")
    by_period = _made_by("waves", "by_period")
    by_chain = _made_by("smt", "by_chain")
    computed = _itself("exact", "computed")
    by_sympy = _itself("sympy_entries", "by_sympy")
    by_sympy_positive = _itself("sympy_entries", "by_sympy_positive")
    by_sympy_simplified = _itself("sympy_entries", "by_sympy_simplified")
    by_steps = _itself("waves", "by_steps")
    by_true_frequencies = _itself("waves", "by_true_frequencies")
