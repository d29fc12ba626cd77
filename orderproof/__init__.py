"""orderproof: what attention sees of the order of its tokens, derived and machine-checked.

    >>> import orderproof as op
    >>> n, d = op.Set("n"), op.Set("d")
    >>> X = op.tensor("X", i=n, c=d)
    >>> op.derive(op.attention(X), op.permutation("sigma", n), X)
    <Derivation Z′ = P Z, where X′ = P X>

The names that a user needs are in orderproof/api.py; they are loaded when the first is used. The
headline theorem is in proofs/self_attention/self_attention_equivariant.py; the calculus in
symbolic/calculus/terms.py; the rules in symbolic/calculus/kernel.py.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # as in typing; the command line is interruptible only after these imports
if TYPE_CHECKING:
    from typing import Any

    from .api import Derivation as Derivation
    from .api import Set as Set
    from .api import add as add
    from .api import attention as attention
    from .api import derive as derive
    from .api import evaluate as evaluate
    from .api import mean as mean
    from .api import permutation as permutation
    from .api import permute as permute
    from .api import prove as prove
    from .api import replay as replay
    from .api import search as search
    from .api import show as show
    from .api import symmetry as symmetry
    from .api import tensor as tensor
    from .api import theorems as theorems

    __version__: str

RELEASED = "2026-11-21"  # the date on the book's front page, as in CITATION.cff
__all__ = [
    "Derivation",
    "Set",
    "add",
    "attention",
    "derive",
    "evaluate",
    "mean",
    "permutation",
    "permute",
    "prove",
    "replay",
    "search",
    "show",
    "symmetry",
    "tensor",
    "theorems",
]


def __getattr__(name: str) -> Any:
    """The version, or a name of orderproof/api.py, which is loaded then, with what shows it in a
    notebook."""
    if name == "__version__":
        from importlib.metadata import version

        return version("orderproof")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module(".notebook", __name__)
    return getattr(import_module(".api", __name__), name)


def __dir__() -> list[str]:
    return [*__all__, "RELEASED", "__version__"]
