"""A model with position tensors, and the same with others: what it makes of a token in both.

T = (E, B, A, R, G) are position tensors as in symbolic/schemes/models.py, T′ are others, σ is a
permutation of the tokens and m one of them. Compared are f(PX; T′) at m and f(X; T) at σ(m). With
T′ = T that is whether f(PX) = P f(X) at m; where σ is the identity, whether f is the same with T′.
The tensors are compared alike: T′ at m and j, T at σ(m) and σ(j).
"""

from collections.abc import Iterable

from orderproof.proofs.prelude import *
from orderproof.symbolic.schemes.models import (
    CONTEXT,
    FEATURES,
    SHAPES,
    model,
    parts,
    positions,
    weights,
)
from orderproof.symbolic.schemes.models import SIGMA as SIGMA
from orderproof.symbolic.statements.statement import Statement

TOKEN, SEEN, OTHER = (constant(name, CONTEXT) for name in ("m", "q", "l"))
X = tensor("X", i=CONTEXT, k=FEATURES)
PX = moved(X, i=SIGMA)
OLD, NEW = (positions("EBARG", CONTEXT, suffix) for suffix in ("", "_t"))  # T and T′

# What is chosen: X, and of each layer the entries of W_Q, W_K and W_V that are not 0, by letter:
# row, column, and value if it is not 1.
Chosen = tuple[Array, *tuple[Mapping[str, tuple[float, ...]], ...]]
Choose = Callable[[Counts, Maps, Values], Iterable[Chosen]]
Fit = Callable[[Values, Maps], None]


def here(name: str, new: Mapping[str, Term] = NEW) -> Term:
    """The row of m of a tensor T′, over its other axes."""
    return at(new[name], {"i": TOKEN()})


def there(name: str) -> Term:
    """The row of σ(m) of a tensor T, its tokens j permuted."""
    return at(OLD[name], {"i": SIGMA(TOKEN()), "j": SIGMA("j")})


def output_differs(
    name: str, letters: str, given: Iterable[Atom], choose: Choose, *,
    fit: Fit = lambda drawn, maps: None, features: int = 1,
    depths: tuple[int, ...] = (1, 2), new: Mapping[str, Term] = NEW,
    over: Sequence[Counts] = ({"n": 2, "d": 2}, {"n": 4, "d": 3}),
) -> Proof:  # fmt: skip
    """The theorem of this name: if these hypotheses on the tensors of these letters hold, there are
    tokens and weights for which the outputs differ, for so many features and more: those of one
    layer, and those of two, each with its skip and its own weights.

    Its numeric mark draws T and T′, makes them `fit` the hypotheses, and tries what is chosen."""
    old, new = {x: OLD[x] for x in letters}, {x: new[x] for x in letters}
    masks = [of["G"] for of in (old, new) if "G" in letters]  # each token sees some token
    hypotheses = {*given} | {Atom(number(0), "≤", g) for g in masks}
    hypotheses |= {Atom(number(0), "<", total(g, "j")) for g in masks}

    def claim(depth: int) -> Claim:
        lhs, rhs = at(model(PX, new, depth), {"i": TOKEN()}), model(X, old, depth)
        atom = Atom(lhs, "≠", at(rhs, {"i": SIGMA(TOKEN())}), some=True)
        there_are = [X, *(t for k in _layers(depth) for t in weights(k).values())]
        draw = partial(_drawn, letters, fit, new != old)
        mark = by_choice(draw, partial(_chosen, choose, depth), over)
        exists, some = frozenset(map(leaf_of, there_are)), sizes({FEATURES: features})
        return Claim(Statement(atom, frozenset(hypotheses), exists, sizes=some), {"numeric": mark})

    claims = in_rocq(name, *map(claim, depths))
    back = {x: moved(t, **{a: inverse(SIGMA) for a in "ij" if a in t.axes}) for x, t in new.items()}
    along = "If the position tensors are permuted with the tokens, the outputs are equal."
    false = nearby(claims[0], along, rhs=at(model(X, back, depths[0]), {"i": SIGMA(TOKEN())}))
    return Proof(claims=claims, planted=false, show=_show(old, new, depths))


# --------------------------------------------------------------------------- drawn and chosen
def nothing(sizes: Counts) -> Array:
    """Tokens that are 0."""
    return np.zeros((sizes["n"], sizes["d"]))


def units(sizes: Counts, maps: Maps) -> Iterator[Array]:
    """Tokens that are 0, and tokens of which PX has one that is 1 in every feature."""
    yield nothing(sizes)
    for token in range(sizes["n"]):
        x = nothing(sizes)
        x[maps["sigma"][token]] = 1
        yield x


def _drawn(letters: str, fit: Fit, changed: bool, rng: Any, sizes: Counts, maps: Maps) -> Values:
    """All tensors T of these letters, and T′ if they changed; of a mask about one entry in four is
    0."""
    found: Values = {}
    for name in letters:
        shape = [sizes["n" if a in "ij" else "d"] for a in SHAPES[name]]
        for suffix in ("", "_t"):
            x = rng.normal(size=shape).astype(np.float32).astype(float)
            if name == "G":
                x = np.where(x < -0.67, 0, np.abs(x)) + np.eye(sizes["n"])
            found[name + suffix] = x
    fit(found, maps)
    return {name: x for name, x in found.items() if changed or not name.endswith("_t")}


def _chosen(
    choose: Choose, depth: int, sizes: Counts, maps: Maps, given: Values
) -> Iterator[Values]:
    """The tokens and weights that are chosen, by name."""
    for x, *layers in choose(sizes, maps, given):
        found = {"X": x}
        for k, entries in zip(_layers(depth), [*layers, {}], strict=False):
            for letter in "QKV":
                w = found[f"W_{letter}{k}"] = np.zeros((sizes["d"], sizes["d"]))
                for row, column, *value in [entries[letter]] if letter in entries else []:
                    w[int(row), int(column)] = value[0] if value else 1
        yield found


# ---------------------------------------------------------------------------------- in print
def _layers(depth: int) -> Sequence[str]:
    """One layer is without a number."""
    return [""] if depth == 1 else [str(k) for k in range(1, depth + 1)]


def _show(old: Mapping[str, Term], new: Mapping[str, Term], depths: Sequence[int]) -> Show:
    """How the book writes these tensors: those of f(PX; T′) primed, of one layer and of two."""
    tables = [
        [Named(x, t, *t.axes) for x, t in of.items() if len(t.axes) == 2] for of in (old, new)
    ]
    tokens = [[Named("X", x, "i", "k")] for x in (X, X if "E" in old else PX)]
    models = [[[*_parts(X, old, depth)], [*_parts(PX, new, depth)]] for depth in depths]
    named: list[Named] = []
    others = sorted((x for x in old if new[x] != old[x]), key=lambda x: len(old[x].axes))
    pairs = {f"{x}'" if len(old[x].axes) == 2 else f"{x}_t": x for x in others}
    for here, there in (tables, tokens, *models):
        images, same = primed(here, there)
        named += [*here, *images]
        pairs |= same
    alike = []
    for k, other in (("1", ""), ("2", "")) if 1 in depths else (("2", "1"),):
        pair = {f"{x}_{k}": f"{x}_{other}".rstrip("_") for x in "QKVSZ"}
        alike.append(pair | {f"W_{x}{k}": f"W_{x}{other}" for x in "QKV"})
    alike[-1] |= {"H_1": "H" if "E" in old else "X"}
    letters = {CONTEXT: "ijl", FEATURES: "kcev"}
    return Show(tuple(named), {SIGMA: "P"}, letters, alike=(*alike, pairs))


def _parts(tokens: Term, position: Mapping[str, Term], depth: int) -> Iterator[Named]:
    """The parts of a model, by name: of one layer without numbers, of two with theirs."""
    h = add(tokens, position["E"]) if "E" in position else tokens
    if "E" in position and depth == 1:
        yield Named("H", h, "i", "k")
    for k in _layers(depth):
        layer = parts(h, position, weights(k))
        yield from layer.named("QKVSZ", k and f"_{k}")
        h = add(h, layer.Z.rename({"v": "k"}))
        if k:
            yield Named(f"H_{k}", h, "i", "k")
