"""What theorem files are written in: `from orderproof.proofs.prelude import *`.

`__all__`, at the end, lists it by what it is for. Marks are data until one is made
(orderproof/check/marks), and references from the papers are imported when one is called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from orderproof.check.claims import *
from orderproof.check.marks import *
from orderproof.check.marks.joined import Joined, Lemma, by_laws, joined, putting
from orderproof.check.page import Example, Formula, Table
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Index, Map, Name, Op, Set, Term, at, reachable
from orderproof.symbolic.derive.primes import like, once, primed, primed_images
from orderproof.symbolic.derive.push import Motion, act, chain, fixed
from orderproof.symbolic.derive.select import inward
from orderproof.symbolic.models.attention import *
from orderproof.symbolic.models.builders import *
from orderproof.symbolic.models.variants import *

from .symbols import *

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    class reference:
        """The modules of the references."""

        from orderproof.numeric.reference import attention as attention
        from orderproof.numeric.reference import decoder as decoder
        from orderproof.numeric.reference import encoder as encoder
        from orderproof.numeric.reference import sets as sets

    Array = NDArray[Any]
else:

    class _Later:
        """A package or module that is imported when one of its names is used."""

        def __init__(self, get: Callable[[str], Any]) -> None:
            self._get = get

        def __getattr__(self, name: str) -> Any:
            return self._get(name)

    reference = _Later(lambda name: import_module(f"orderproof.numeric.reference.{name}"))
    np = _Later(lambda name: getattr(import_module("numpy"), name))
    Array = Any

Values = dict[str, Array]  # tensors by name, as a reference from a paper is given them
Reference = Callable[[Values], Array]
Moves = dict[Op, Motion]  # leaf ↦ the maps that permute its axes


def by_paper(function: str, tensors: str, scale: float = 1.0) -> Check:
    """The numeric mark with a reference from a paper: by_paper("attention.self_attention",
    "X W_Q W_K W_V") calls that function of numeric/reference/ with these tensors, in this order."""
    module, _, name = function.partition(".")

    def expected(t: Values) -> Any:
        return getattr(getattr(reference, module), name)(*(t[x] for x in tensors.split()))

    expected.__qualname__ = f"{function} of {tensors}"
    return by_numpy(expected, scale=scale)


def by_witnesses(found: Sequence[Witness]) -> dict[str, Check]:
    """The marks exact and numeric at these witnesses."""
    return {"exact": by_exact(found), "numeric": by_numpy_differs(found)}


def theorem(
    *,
    title: str,
    words: str | tuple[str | Sentence, ...],
    source: str,
    citations: tuple[str, ...] = (),
    uses: tuple[str, ...] = (),
) -> Callable[[Callable[[], Proof]], Callable[[], TheoremFile]]:
    """Decorates the function that makes a theorem's proof; its id is the function's name, and its
    docstring is the proof in words, in Markdown with slots for formulas.

    `words` is the sentence under the title, or several; one that is no `Sentence` is said by all
    claims together. `source` says in words where the theorem is from, `citations` are keys of
    references.bib, `uses` the ids of the theorems that it rests on. A file that runs as a script
    has its theorem checked and printed.
    """

    def stated(prove: Callable[[], Proof]) -> Callable[[], TheoremFile]:
        def made() -> TheoremFile:
            proof = prove()
            every = tuple(range(len(proof.claims)))
            each = (words,) if isinstance(words, str) else words
            said = tuple(Sentence(x, every) if isinstance(x, str) else x for x in each)
            return TheoremFile(
                id=prove.__name__, title=title, words=said, source=source, citations=citations,
                uses=uses, argument=cleandoc(prove.__doc__ or ""), **vars(proof),
            )  # fmt: skip

        if prove.__module__ == "__main__":
            sys.argv[1:] = ["show", prove.__name__, "--latex", "--check"]
            import_module("orderproof.cli").main()
        return made

    return stated


# fmt: off
__all__ = [
    # a theorem and what it says
    "theorem", "Proof", "Sentence", "Neighbour", "nearby", "transposed", "in_rocq", "Example",
    "Formula", "Table",
    # claims
    "Claim", "Atom", "Witness", "Counts", "Maps", "equivariance", "equality", "holds",
    "differs", "pushing", "sides", "sizes", "Check", "by_sympy", "by_sympy_to", "by_sympy_at",
    "by_sympy_within", "by_sympy_positive", "by_sympy_simplified", "by_sympy_simplified_at",
    "by_numpy", "by_paper", "by_numpy_differs", "by_witnesses", "by_exact", "by_search",
    "by_chain", "by_choice", "by_enclosures", "by_period", "by_steps", "by_true_frequencies",
    # equations that solvers prove, and theorems from which they are cut
    "Lemma", "by_laws", "Joined", "joined", "putting",
    # symbols of the book, and how they are printed
    "n", "m", "d", "h", "d_f", "ALL", "WIDTHS", "EPSILON", "POSITIVE", "d_k", "d_v", "X", "Y",
    "W_Q", "W_K", "W_V", "sigma", "rho", "TOKENS", "MEMORY", "SELF", "CROSS", "Attention",
    "Named", "Show", "show", "rows_of_softmax", "once", "like", "primed", "primed_images",
    # terms
    "Term", "Index", "Map", "Name", "Op", "Set", "at", "reachable", "POINT", "tensor",
    "constant", "number", "symbol", "permutation", "leaf_of", "iota", "delta", "size",
    # made of terms
    "add", "subtract", "multiply", "divide", "exp", "sqrt", "pointwise", "opaque", "cat",
    "reduce", "total", "mean", "contract", "image", "moved", "inverse", "inlined",
    # models
    "AttentionLayer", "BLOCK", "HEADS", "as_keys", "softmax", "masked_softmax", "relu", "gelu",
    "feed_forward", "layer_norm", "layer_norm_definition", "mean_definition",
    "variance_definition", "rms_norm", "block", "block_parts", "linear_attention",
    "random_features", "normalised", "weigh",
    # derivations
    "kernel", "Theorem", "Motion", "Moves", "act", "chain", "fixed", "inward",
    # numbers, and references from the papers
    "reference", "Reference", "Values", "Array", "np", "Fraction",
    # Python
    "Any", "Callable", "Iterator", "Mapping", "Sequence", "dataclass", "partial", "replace",
]
# fmt: on
