"""orderproof: what attention sees of the order of its tokens, derived and machine-checked.

    >>> from orderproof.symbolic.models.builders import tensor, leaf_of, permutation
    >>> from orderproof.symbolic.calculus.terms import Set
    >>> from orderproof.symbolic.models.attention import attention
    >>> from orderproof.symbolic.derive.push import push
    >>> n, d = Set("n"), Set("d")
    >>> X = tensor("X", i=n, k=d)
    >>> keys = X.rename({"i": "j"})
    >>> Z = attention(X, keys, keys.rename({"k": "r"}), "j", "k")
    >>> sigma = permutation("sigma", n)
    >>> pushed = push(Z, {leaf_of(X): (sigma, None)})
    >>> pushed.theorem.law
    'perm'

The headline theorem is in proofs/self_attention_equivariant.py; the calculus in
symbolic/calculus/terms.py; the rules in symbolic/calculus/kernel.py.
"""

from importlib.metadata import version

__version__ = version("orderproof")
RELEASED = "2026-11-21"  # the date on the book's front page, as in CITATION.cff
