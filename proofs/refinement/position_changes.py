"""A model with position tensors, and the same with others: what it makes of a token in both.

T = (E, B, A, R, G) are position tensors as in symbolic/schemes/models.py, T′ are others, σ is a
permutation of the tokens and m one of them. Compared are f(PX; T′) at m and f(X; T) at σ(m). With
T′ = T that is whether f(PX) = P f(X) at m; where σ is the identity, whether f is the same with T′.
The tensors are compared alike: T′ at m and j, T at σ(m) and σ(j).
"""

from collections.abc import Iterable

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import CONTEXT, FEATURES, SIGMA, model, parts, positions
from orderproof.symbolic.schemes.models import weights as weights_of
from orderproof.symbolic.statements.statement import Statement, Symbol

TOKEN, SEEN, OTHER = (constant(name, CONTEXT) for name in ("m", "q", "l"))
X = tensor("X", i=CONTEXT, k=FEATURES)
AFTER = "_t"  # in the names of the tensors T′
PLACES = {"E": ("i", "k"), "B": ("i", "j"), "G": ("i", "j")}  # rows and columns
DEPTHS = (1, 2)  # one layer as it is; two, each with its skip and its own weights


def tensors(letters: str, suffix: str = "") -> dict[str, Term]:
    """The tensors T of these letters, or with the suffix those of T′."""
    return positions(letters, CONTEXT, suffix)


def models(letters: str, depth: int, after: str = AFTER) -> tuple[Term, Term]:
    """f(PX; T′) and f(X; T), over tokens i and features v; without suffix T is in both."""
    new, old = tensors(letters, after), tensors(letters)
    return model(moved(X, i=SIGMA), new, depth), model(X, old, depth)


def at_tokens(after: Term, before: Term) -> tuple[Term, Term]:
    """The one at token m, the other at σ(m)."""
    return at(after, {"i": TOKEN()}), at(before, {"i": SIGMA(TOKEN())})


def here(name: str, after: str = AFTER) -> Term:
    """The row of m of a tensor T′, over its other axes; of T without suffix."""
    return at(tensors(name, after)[name], {"i": TOKEN()})


def there(name: str) -> Term:
    """The row of σ(m) of a tensor T, its tokens j permuted."""
    to: dict[Name, Index] = {"i": SIGMA(TOKEN()), "j": SIGMA("j")}
    return at(tensors(name)[name], to)


def of_token(t: Term, token: Map) -> Term:
    """A row at one token j."""
    return at(t, {"j": token()})


def masks(*suffixes: str) -> frozenset[Atom]:
    """Masks as weights: nothing negative, and every token sees some token."""
    found = [tensors("G", suffix)["G"] for suffix in suffixes]
    signs = {Atom(number(0), "≤", g) for g in found}
    return frozenset(signs | {Atom(number(0), "<", total(g, "j")) for g in found})


def weighed(row: Term, bias: Term) -> Term:
    """G exp B, the weights of tokens where all scores are 0."""
    return multiply(row, exp(bias))


def differing(
    letters: str, depth: int, given: Iterable[Atom], marks: Mapping[str, Check], *,
    features: int = 1, after: str = AFTER,
) -> Claim:  # fmt: skip
    """If these hypotheses on T and T′ hold, there are tokens and weights for which the outputs
    differ, for so many features and more."""
    lhs, rhs = at_tokens(*models(letters, depth, after))
    suffixes = [""] if depth == 1 else [str(k) for k in range(1, depth + 1)]
    chosen = [X, *(t for s in suffixes for t in weights_of(s).values())]
    there_are: frozenset[Symbol] = frozenset(leaf_of(t) for t in chosen)
    atom = Atom(lhs, "≠", rhs, some=True)
    over = sizes({FEATURES: features})
    return Claim(Statement(atom, frozenset(given), there_are, sizes=over), marks)


def moved_along(claim: Claim, letters: str, after: str = AFTER) -> Neighbour:
    """The claim of one layer, or of two where it is of T alone, with the position tensors of f(PX)
    permuted back for f(X): the outputs are then equal."""
    back = {a: inverse(SIGMA) for a in "ij"}
    old = {
        name: moved(t, **{a: m for a, m in back.items() if a in t.axes})
        for name, t in tensors(letters, after).items()
    }
    _, rhs = at_tokens(X, model(X, old, 1 if after else 2))
    reason = "If the position tensors are permuted with the tokens, the outputs are equal."
    return nearby(claim, reason, rhs=rhs)


def show_changed(letters: str, depths: Iterable[int] = DEPTHS, after: str = AFTER) -> Show:
    """How the book writes these tensors: those of f(PX; T′) primed, of one layer and of two."""
    old, new = tensors(letters), tensors(letters, after)
    named = [Named("X", X, "i", "k")]
    named += [Named(x, old[x], *PLACES[x]) for x in letters if x in PLACES]
    named += [Named(f"{x}'", new[x], *PLACES[x]) for x in letters if x in PLACES and after]
    pairs = {f"{x}'": x for x in letters if x in PLACES and after}
    pairs |= {f"{x}{after}": x for x in letters if x not in PLACES and after}
    if "E" not in letters:
        named.append(Named("X'", moved(X, i=SIGMA), "i", "k"))
        pairs["X'"] = "X"
    for depth in depths:
        before = [*_named(X, old, depth, "")]
        images = [*_named(moved(X, i=SIGMA), new, depth, "'")]
        named += [*before, *images]
        pairs |= {b.name: a.name for a, b in zip(before, images, strict=True)}
    letters_of = {CONTEXT: "ijl", FEATURES: "kcev"}
    first = "H" if "E" in letters else "X"
    layers = [_like("1", "", {})] * (1 in depths)
    layers.append(_like("2", "" if 1 in depths else "1", {"H_1": first}))
    return Show(tuple(named), {SIGMA: "P"}, letters_of, alike=(*layers, pairs))


def _like(layer: str, other: str, tokens: dict[str, str]) -> dict[str, str]:
    """The parts of a layer by its number, and those of another (none: of one layer alone)."""
    below = f"_{other}" if other else ""
    parts_ = {f"{x}_{layer}": f"{x}{below}" for x in "QKVSZ"}
    return parts_ | {f"W_{x}{layer}": f"W_{x}{other}" for x in "QKV"} | tokens


def _named(tokens: Term, position: Mapping[str, Term], depth: int, prime: str) -> Iterator[Named]:
    """The parts of a model, by name: of one layer without numbers, of two with theirs."""
    h = add(tokens, position["E"]) if "E" in position else tokens
    if "E" in position and depth == 1:
        yield Named(f"H{prime}", h, "i", "k")
    for number_ in [""] if depth == 1 else map(str, range(1, depth + 1)):
        layer = parts(h, position, weights_of(number_))
        of = f"{prime}_{number_}" if number_ else prime
        yield from layer.named("QKVSZ", of)
        if number_:
            h = add(h, layer.Z.rename({"v": "k"}))
            yield Named(f"H{of}", h, "i", "k")
