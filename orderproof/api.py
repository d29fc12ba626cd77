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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from orderproof.numeric.groups import symmetry as groups
from orderproof.numeric.groups.bias_matrices import position
from orderproof.proofs import catalogue
from orderproof.proofs.check.claims import Claim, StuckError, by_kernel, sides
from orderproof.proofs.check.page import Section, TheoremPage
from orderproof.proofs.pages.derivations import of_push
from orderproof.proofs.pages.statements import statement
from orderproof.proofs.prove import checking, run
from orderproof.proofs.schemes import answers
from orderproof.proofs.shared.position_theorems import symmetry_proof
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import (
    Map,
    Node,
    Op,
    Set,
    ShapeError,
    Term,
    map_type,
    reachable,
)
from orderproof.symbolic.derive.push import Motion, Pushed, Stuck, fixed, push
from orderproof.symbolic.derive.steps import Show, write
from orderproof.symbolic.models.attention import AttentionLayer, as_keys
from orderproof.symbolic.models.builders import add, leaf_of, mean, moved, permutation, tensor
from orderproof.symbolic.models.named import Named
from orderproof.symbolic.readings.index_arrays import IndexArrays
from orderproof.symbolic.readings.notation import Formula, Latex, Plain
from orderproof.symbolic.readings.numpy_arrays import Floats, arrays
from orderproof.symbolic.readings.printer import Style
from orderproof.symbolic.schemes import table_search
from orderproof.symbolic.schemes.definitions import parameters
from orderproof.symbolic.schemes.tables import SCHEMES
from orderproof.symbolic.statements.evidence import weigh
from orderproof.symbolic.statements.statement import Atom, Statement, StatementError, of_theorem
from orderproof.symbolic.witness.arithmetic import Outcome
from orderproof.symbolic.witness.group_replay import GroupReplay
from orderproof.symbolic.witness.replay import PositionReplay
from orderproof.symbolic.witness.replay_file import replay_file

if TYPE_CHECKING:  # it needs the extra onnx
    from orderproof.symbolic.witness.model.file import ModelWitness

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
    primes = [_prime(op, m, style) for op, m in pushed.moves.items()]
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


def _prime(op: Op, motion: Motion, style: Style) -> Formula:
    """What the prime says of a tensor: X′ = P X."""
    t = tensor(op.data[0], **dict(zip("ijklrs", op.data[1], strict=False)))
    image = moved(t, **{str(a): m for a, m in zip(t.axes, motion, strict=True) if m})
    row, column, *_ = (*t.axes, None, None)
    right = write(image, style, row, column)
    left = (to.prime(to.symbol(op.data[0])) for to in (Latex(), Plain()))
    return Formula(*(f"{a} = {b}" for a, b in zip(left, (right.latex, right.plain), strict=True)))


def evaluate(
    term: Term, *, values: Mapping[Any, Any] | None = None, seed: int = 0, **sizes: int
) -> NDArray[np.float64]:
    """A term in floating point, for these sizes of its sets (n=7, d=3): an array, its axes in the
    order of `term.axes`.

    `values` has arrays by tensors or their names ({X: array}, {"X": array}), functions by row-wise
    maps, and permutations as lists of σ(0), …, σ(n−1) ({sigma: [1, 0, 2]}); shapes give sizes too.
    That a mask is ≥ 0 is not checked. What is not in it is
    random, by the seed and its name alone, so that two terms have the same X: normal numbers (which
    no mask is), a permutation that is not the identity, a row-wise map that is not linear. A tensor
    evaluates to its own entries. A size d_k, d_v that is not given is that of d. Raises ShapeError
    or ReadingError: what was given, what was expected.
    """
    if not _is_integer(seed, 0):
        raise ShapeError(f"evaluate: given seed = {seed!r}, expected an integer of at least 0")
    if values is not None and not isinstance(values, Mapping):
        raise ShapeError(f"evaluate: given values of type {type(values).__name__}, expected a dict")
    try:
        stated = Statement(Atom(term, "=", term))
    except StatementError as e:
        raise ShapeError(f"evaluate: {e}") from None
    symbols: tuple[Op | Map, ...] = (*stated.tensors, *stated.maps)
    given = _given(values or {}, {str(x.data[0]): x for x in symbols})
    leaves = {str(x.data[0]): x for x in stated.tensors if x.kind == "leaf"}
    of_values = {
        s.name: k
        for name in given.keys() & leaves.keys()
        for s, k in zip(leaves[name].data[1], np.shape(given[name]), strict=False)
    }
    found = _sizes([s.name for s in stated.sets], sizes, of_values)

    def rng(name: str) -> np.random.Generator:
        return np.random.default_rng([seed, *name.encode()])

    size = IndexArrays(found).size
    permutations = [m for m in stated.maps if map_type(m)[2]]
    maps = {m.data[0]: _moving(size(map_type(m)[1]), rng(m.data[0])) for m in permutations}
    tensors: dict[str, Any] = {
        name: rng(name).normal(size=[size(s) for s in x.data[1]]) for name, x in leaves.items()
    }
    for name, _, yields in (x.data for x in stated.tensors if x.kind == "opaque"):
        tensors[name] = partial(_row_map if yields else _weight, partial(rng, name))
    return np.array(arrays(term, found, maps | given, tensors | given, Floats(np.float64)))


def _row_map(rng: Callable[[], np.random.Generator], x: NDArray[Any], size: int) -> NDArray[Any]:
    """A row-wise map that is not linear: the larger of two linear ones."""
    first, second = rng().normal(size=(2, x.shape[-1], size))
    return np.asarray(np.maximum(x @ first, x @ second))


def _weight(rng: Callable[[], np.random.Generator], _: Any, *rows: NDArray[Any]) -> NDArray[Any]:
    """A positive number of several rows: exp of the largest of a linear map of each."""
    drawn = rng()
    largest = reduce(np.maximum, [x @ drawn.normal(size=x.shape[-1]) for x in rows])
    return np.asarray(np.exp(largest))


# The dtypes of NumPy that values of a tensor may have, and of an operator; otherwise of a map.
_WANTED = {"leaf": ("biuf", "an array of real numbers"), "opaque": ("", "a function")}


def _given(values: Mapping[Any, Any], symbols: Mapping[str, Op | Map]) -> dict[str, Any]:
    """The values by the names of these tensors and maps, each of its kind, and given once."""
    given: dict[str, Any] = {}
    for key, value in values.items():
        name = _name(key)
        if name not in symbols:
            expected = ", ".join(sorted(symbols)) or "none"
            raise ShapeError(f"evaluate: given values of {name}, expected those of {expected}")
        if name in given:
            raise ShapeError(f"evaluate: given values of {name} twice, expected them once")
        kinds, expected = _WANTED.get(symbols[name].kind, ("iu", "a list of integers"))
        try:
            fits = np.asarray(value).dtype.kind in kinds or ("b" not in kinds and callable(value))
        except ValueError:  # rows of several lengths
            fits = False
        if not fits:
            shown = " ".join(repr(value).split())[:80]
            raise ShapeError(f"evaluate: {name}: given {shown}, expected {expected}")
        given[name] = value
    return given


def _name(key: Any) -> str:
    """The name of a tensor or a map, which may be given in its place."""
    if isinstance(key, str | Map):
        return key if isinstance(key, str) else str(key.data[0])
    if not isinstance(key, Term):
        raise ShapeError(f"evaluate: given values of {key!r}, expected a tensor, map or name")
    return str(leaf_of(key).data[0])


def _sizes(
    names: Sequence[str], sizes: Mapping[str, Any], of_values: Mapping[str, int]
) -> dict[str, int]:
    """The size of each set: as it is given, as values have it, or of d_k as of d."""
    for name in {"term", "values", "seed"}.intersection(names):
        raise ShapeError(f"evaluate: given a set {name}, expected another name: {name}= is no size")
    found = {**of_values, **sizes}
    for name, k in found.items():
        if name not in names:
            expected = ", ".join(names) or "none"
            raise ShapeError(f"evaluate: given a size of {name}, expected sizes of {expected}")
        if not _is_integer(k, 1):
            raise ShapeError(f"evaluate: given {name} = {k}, expected an integer of at least 1")
    if "d" in found:
        found = {name: found["d"] for name in names if name.startswith(("d_k", "d_v"))} | found
    if missing := [name for name in names if name not in found]:
        has = ", ".join(f"{name} = {k}" for name, k in sizes.items()) or "no size"
        raise ShapeError(f"evaluate: given {has}, expected sizes of {', '.join(missing)} too")
    return {name: int(found[name]) for name in names}


def _is_integer(x: Any, least: int) -> bool:
    """Whether x is a whole number of at least this, and not True."""
    return type(x) is not bool and isinstance(x, Integral) and int(x) >= least


def _moving(n: int, rng: np.random.Generator) -> list[int]:
    """A random permutation, and not the identity where there is another."""
    while True:
        sigma = [int(k) for k in rng.permutation(n)]
        if n < 2 or sigma != list(range(n)):
            return sigma


def theorems() -> tuple[str, ...]:
    """The ids of the catalogue."""
    return catalogue.IDS


def show(name: str) -> TheoremPage:
    """A theorem with its derivation; no mark is checked. Raises UnknownTheorem, nearest named."""
    (chosen,) = catalogue.chosen([name])
    return checking.unchecked(catalogue.load(chosen))


def prove(name: str) -> TheoremPage:
    """A theorem with all its marks checked now, but for Rocq's. Raises UnknownTheorem."""
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
        return table_search.search(scheme, n, d, sigma=sigma, timeout=timeout, proof=symmetry_proof)
    asked = "permutation" if symmetry is None else symmetry
    return answers.search(scheme, asked, n, d, sigma, parameters(options), timeout)


def symmetry(scheme: str, n: int, **options: Any) -> groups.Answer:
    """The exact group of a position scheme at n tokens, with the context groups of the last token.
    Options are the scheme's, as on the command line (window=2, blocks=(2, 2, 3)). Raises
    SchemeError or MatrixError: what was given, what was expected."""
    return groups.answer(groups.of_scheme(position(scheme, n, **options)))


def replay(
    path: str | os.PathLike[str],
) -> PositionReplay | GroupReplay | Outcome[ModelWitness]:
    """Recheck a saved counterexample, no solver loaded. Raises WitnessError."""
    return replay_file(path)
