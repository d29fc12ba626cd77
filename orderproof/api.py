"""What a user needs in a notebook or a script: write attention, permute it, derive, attack.

    >>> import orderproof as op
    >>> n, d = op.Set("n"), op.Set("d")
    >>> X = op.tensor("X", i=n, c=d)                # n tokens of d features
    >>> Z = op.attention(X)                         # softmax(Q Kᵀ/√d_k) V, weights of its own
    >>> sigma = op.permutation("sigma", n)
    >>> print(op.derive(Z, sigma, X))               # permute X: what becomes of Z?
    Z′ = P Z, where X′ = P X
    >>> E = op.tensor("E", i=n, c=d)                # a table of positions, added to the tokens
    >>> print(op.derive(op.attention(op.add(X, E)), sigma, X))
    stuck at E: its axis over n is moved by nothing, not by sigma
    >>> print(op.derive(op.attention(op.add(X, E)), sigma, X, keeps=[E]))
    P E = E  ⇒  Z′ = P Z, where X′ = P X

The same in numbers, for any sizes, with random entries that depend on a tensor's name alone:

    >>> import numpy as np
    >>> after = op.evaluate(op.attention(op.permute(X, sigma)), n=7, d=3)    # Z′, of P X
    >>> before = op.evaluate(Z, n=7, d=3)
    >>> np.allclose(after, op.evaluate(op.permute(Z, sigma), n=7, d=3))      # Z′ = P Z,
    True
    >>> np.allclose(after, before)                                           # and not Z
    False

Axes have names: `i` are tokens, `c` features, `j` a memory. A permutation moves every axis over its
set, as (PX)ᵢ = X_{σ(i)}. Permutations of numbers are lists of σ(0), …, σ(n−1), as in JSON.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orderproof.check.claims import Claim, StuckError, by_kernel, sides
from orderproof.check.page import Section, TheoremPage
from orderproof.check.prove import run
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.schemes import answers
from orderproof.evaluation import evaluate
from orderproof.numeric.groups import symmetry as groups
from orderproof.numeric.groups.bias_matrices import position
from orderproof.proofs import catalogue
from orderproof.publish.pages.definitions import image
from orderproof.publish.pages.derivations import of_push
from orderproof.publish.pages.statements import statement
from orderproof.replay_file import replay_file
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Map,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    reachable,
)
from orderproof.symbolic.derive.push import Motion, Pushed, Stuck, fixed, push
from orderproof.symbolic.derive.steps import Show
from orderproof.symbolic.models.attention import AttentionLayer, as_keys
from orderproof.symbolic.models.builders import add, leaf_of, mean, moved, permutation, tensor
from orderproof.symbolic.models.named import Named
from orderproof.symbolic.readings.notation import Formula, Plain
from orderproof.symbolic.schemes import table_search
from orderproof.symbolic.schemes.definitions import parameters
from orderproof.symbolic.schemes.tables import SCHEMES
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, Statement, of_theorem
from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.group_replay import GroupReplay
from orderproof.symbolic.witness.replay import PositionReplay

if TYPE_CHECKING:
    from orderproof.symbolic.witness.model_file import Recorded

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

MATRICES = {"sigma": "P", "rho": "R", "tau": "T"}
_named: dict[Node, tuple[Named, ...]] = {}  # of each attention made here: Q, K, V, S, A, Z


def attention(
    tokens: Term, memory: Term | None = None, *, mask: Term | None = None,
    score_bias: Term | None = None, of: str = "",
) -> Term:  # fmt: skip
    """softmax(Q Kᵀ/√d_k + B) V with Q = X W_Q, K = Y W_K, V = Y W_V (Vaswani et al. 2017, eq. 1).

    Tokens X are over (i, c); the memory Y over (j, c), by default the tokens themselves; a mask is
    weights ≥ 0 over (i, j), a score bias B is over (i, j). The weights are free tensors W_Q, W_K,
    W_V; `of` is put after their names, to tell several layers apart. The result is over (i, r).
    Raises ShapeError for tokens over other axes.
    """
    for name, t, wanted in (("tokens", tokens, {"i", "c"}), ("memory", memory, {"j", "c"})):
        if t is not None and set(t.axes) != wanted:
            expected = " and ".join(sorted(wanted))
            raise ShapeError(f"attention: {name}: given axes {t.axes}, expected {expected}")
    d, d_k, d_v = tokens.sets["c"], Set(f"d_k{of}"), Set(f"d_v{of}")
    weights = (
        tensor(f"W_Q{of}", c=d, k=d_k), tensor(f"W_K{of}", c=d, k=d_k),
        tensor(f"W_V{of}", c=d, r=d_v),
    )  # fmt: skip
    keys = as_keys(tokens) if memory is None else memory
    layer = AttentionLayer(tokens, keys, weights, mask=mask, score_bias=score_bias)
    _named[layer.Z.node] = layer.named(of=of)
    return layer.Z


def permute(t: Term, sigma: Map) -> Term:
    """t with each of its axes over the set of σ moved: P X, and P M Pᵀ of a square M."""
    return moved(t, **{str(a): sigma for a in _over(t, sigma)})


def _over(t: Term, sigma: Map) -> list[Any]:
    """The axes of t over the set that σ permutes."""
    return [a for a, over in t.sets.items() if over == sigma.data[2]]


@dataclass(frozen=True)
class Derivation:
    """A theorem of the kernel with its derivation: for all sizes, all inputs and all weights."""

    theorem: Theorem
    statement: Formula
    sections: tuple[Section, ...]

    def __str__(self) -> str:
        return self.statement.plain

    def __repr__(self) -> str:
        return f"<Derivation {self.statement.plain}>"


def derive(
    term: Term, sigma: Map, *tensors: Term, keeps: Iterable[Term] = ()
) -> Derivation | Stuck:
    """What becomes of a term when σ moves these tensors: f(PX) = P f(X), f(PX) = f(X), or where it
    is stuck. Of the tensors in `keeps` it is assumed that σ leaves them as they are (PE = E).

    Proved by the kernel for all sizes, inputs and weights. Raises ShapeError for a tensor that has
    no axis over the set of σ, or that is not in the term, and for two things of one name.
    """
    kept = list(keeps)
    if not tensors or term.node.op.kind == "leaf":
        raise ShapeError("derive: given a tensor alone, or none that moves, expected a term")
    for t in (*tensors, *kept):
        if not _over(t, sigma):
            raise ShapeError(
                f"derive: given a tensor over {t.axes}, expected one with an axis over "
                f"{sigma.data[2].name}, which {sigma.data[0]} permutes"
            )
    moves: dict[Op, Motion] = {
        leaf_of(t): tuple(sigma if s == sigma.data[2] else None for s in leaf_of(t).data[1])
        for t in tensors
    }
    facts = [fixed(t, **{str(a): sigma for a in _over(t, sigma)}) for t in kept]
    pushed = push(term, moves, facts)
    return pushed if isinstance(pushed, Stuck) else _derivation(term, sigma, pushed)


def _derivation(term: Term, sigma: Map, pushed: Pushed) -> Derivation:
    found = dict.fromkeys(x for n in reachable(term.node) for x in _named.get(n, ()))
    if not any(x.term.node is term.node for x in found):
        row, column, *_ = (*term.axes, None, None)
        found[Named("f", term, row, column)] = None
    shown = Show(tuple(found), {sigma: MATRICES.get(sigma.data[0], f"P_{sigma.data[0]}")}, {})
    _told_apart(term, shown, pushed)
    motion = {a: m for a, m in zip(term.axes, pushed.motion, strict=True) if m}
    lhs, rhs = sides(term, pushed.moves, motion)
    style = shown.style(pushed)
    whole = next(x for x in found if x.term.node is term.node)
    wanted = Statement(Atom(lhs, "=", rhs), of_theorem(pushed.theorem).given)
    said = statement(Claim(wanted, {}, whole.row, whole.column), style)
    if not weigh(wanted, by_kernel(pushed.theorem)(wanted)).settles:
        raise StuckError(f"given the theorem {pushed.theorem}, expected one of {said.plain}")
    primes = [image(op, m, style) for op, m in pushed.moves.items()]
    said = Formula(
        rf"{said.latex} \quad\text{{where }} " + r",\; ".join(f.latex for f in primes),
        f"{said.plain}, where " + ", ".join(f.plain for f in primes),
    )
    return Derivation(pushed.theorem, said, tuple(of_push(pushed, shown)))


def _told_apart(term: Term, shown: Show, pushed: Pushed) -> None:
    """Raises ShapeError where two things would be printed alike: a tensor called Z beside the
    output of attention, or the layers of two attentions."""
    write_ = Plain()
    own = [str(n.op.data[0]) for n in reachable(term.node) if n.op.kind in ("leaf", "opaque")]
    names = [write_.symbol(name) for name in (*dict.fromkeys(own), *(x.name for x in shown.named))]
    primed = [*(x.name for x in shown.named), *(str(op.data[0]) for op in pushed.moves)]
    names += [*shown.matrices.values(), *(write_.prime(write_.symbol(name)) for name in primed)]
    for name in names:
        if names.count(name) > 1:
            raise ShapeError(
                f"derive: given two things called {name}, expected one: give the tensor another "
                'name, or one attention its own letters, as attention(X, of="2")'
            )


def theorems() -> tuple[str, ...]:
    """The ids of the catalogue."""
    return catalogue.IDS


def show(name: str) -> TheoremPage:
    """A theorem with its derivation; no mark is checked. Raises UnknownTheorem, nearest named."""
    (chosen,) = catalogue.chosen([name])
    return unchecked(catalogue.load(chosen))


def prove(name: str) -> TheoremPage:
    """A theorem with its marks checked now, and that of Rocq as recorded. Raises UnknownTheorem."""
    (chosen,) = catalogue.chosen([name])
    return run.prove_one(chosen)[0]


def search(
    scheme: str, n: int, d: int, symmetry: str | None = None, sigma: Sequence[int] | None = None,
    timeout: float = 10.0, **options: int,
) -> table_search.SearchResult | answers.PositionAnswer:  # fmt: skip
    """A counterexample to a symmetry of a position scheme for n tokens and d features, replayed, or
    the proof that it has the symmetry; by default f(PX) = P f(X).

    `sigma` lists σ(0), …, σ(n−1); options are the scheme's, as on the command line (window=2).
    Raises SchemeError or SearchError: what was given, what was expected.
    """
    if symmetry is None and scheme in SCHEMES and not options:
        proof = table_search.symmetry_proof
        return table_search.search(scheme, n, d, sigma=sigma, timeout=timeout, proof=proof)
    asked = "permutation" if symmetry is None else symmetry
    return answers.search(scheme, asked, n, d, sigma, parameters(options), timeout)


def symmetry(scheme: str, n: int, **options: Any) -> groups.Answer:
    """The exact group of a position scheme at n tokens, with the context groups of the last token.
    Options are the scheme's, as on the command line (window=2, blocks=(2, 2, 3)). Raises
    SchemeError or MatrixError: what was given, what was expected."""
    return groups.answer(groups.of_scheme(position(scheme, n, **options)))


def replay(
    path: str | os.PathLike[str],
) -> PositionReplay | GroupReplay | Outcome[Recorded]:
    """Recheck a saved counterexample, no solver loaded. Raises WitnessError."""
    return replay_file(path)
