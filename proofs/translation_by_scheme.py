"""A common offset of all places: relative schemes keep it, absolute ones lose it with one token.

"A position embedding breaks the permutation symmetry to translational": that depends on the scheme.
A bias, relative key or rotation that is made from the difference of two places is the same when
both places are t further on, and so is all that is computed from it. A row that is added to a token
is not: already with one token, which attention only copies, the output is another.
(`orderproof table` has the column "offset" for every scheme.)
"""

from collections.abc import Callable
from dataclasses import replace

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Check,
    Claim,
    Named,
    Sentence,
    TheoremFile,
    differs,
    holds,
    nearby,
    sizes,
)
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.joined import Lemma, joined, putting
from orderproof.proofs.marks.numeric import by_numpy, by_numpy_differs
from orderproof.proofs.marks.sympy_entries import by_sympy, by_sympy_simplified
from orderproof.proofs.pages.primes import like, once, primed
from orderproof.proofs.shared.position_ids import parts_named
from orderproof.proofs.shared.symbols import SELF, Attention, X, as_keys, d, d_k, d_v, show
from orderproof.symbolic.calculus.terms import Name, Set, Term
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import (
    add,
    contract,
    iota,
    leaf_of,
    multiply,
    number,
    opaque,
    pointwise,
    subtract,
    tensor,
)
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES, weights
from orderproof.symbolic.schemes.models import parts as layer_parts
from orderproof.symbolic.schemes.rotations import T
from orderproof.symbolic.smt.chain import by_chain

SLOPE = tensor("s")
PLACES = iota(n, "i"), iota(n, "j")
OFFSET = subtract(PLACES[1], PLACES[0])
FURTHER_ON = subtract(add(PLACES[1], T), add(PLACES[0], T))
HERE, FURTHER = (tensor(name, i=n, c=d) for name in ("E", "E_t"))  # rows p, and rows p + t


def parts(offset: Term, of: str = "") -> tuple[Named, ...]:
    """Self-attention with a slope times a distance added to the scores (Press et al. 2022): bias,
    weights and output by name."""
    bias = multiply(SLOPE, pointwise("max", offset, pointwise("neg", offset)))
    shares = softmax(add(SELF.S, bias), "j")
    places = (("B", bias, "ij"), ("A", shares, "ij"), ("Z", contract(shares, SELF.V, "j"), "ir"))
    return tuple(Named(f"{x}{of}", t, *axes) for x, t, axes in places)


def biased(offset: Term) -> Term:
    """The output of it."""
    return parts(offset)[-1].term


def rows_added(rows: Term, of: str) -> tuple[Named, ...]:
    """Rows added to the tokens, and the parts of attention to them, by name."""
    tokens = add(X, rows)
    return Named(f"H{of}", tokens, "i", "c"), *Attention(tokens, as_keys(tokens)).named(of=of)


def relative(offset: Term, of: str = "M", *, keys: bool = False) -> tuple[Named, ...]:
    """Two layers with skips, in which a bias, a mask and a rotation, or what is added to a key, are
    any functions of the offset: these, the parts of the layers and the tokens after each, by name.
    """
    c: dict[Name, Set] = {"c": FEATURES}
    e: dict[Name, Set] = {"e": FEATURES}
    made = {
        "B": opaque("b", {}, offset, {}), "G": opaque("g", {}, offset, {}),
        "R": opaque("r", {}, offset, c | e), "A": opaque("a", {}, offset, c),
    }  # fmt: skip
    position = {x: made[x] for x in ("BGA" if keys else "BGR")}
    found = [Named(f"{x}_o", position[x], "i", "j") for x in "BG"]
    tokens = tensor("X", i=n, k=FEATURES)
    for layer in "12":
        read = layer_parts(tokens, position, weights(layer))
        found += parts_named(read, f"_{of}{layer}", "QKVSA")
        tokens = add(tokens, read["Z"].rename({"v": "k"}))
        found.append(Named(f"{of}_{layer}", tokens, "i", "k"))
    return tuple(found)


def turned(offset: Term) -> Term:
    """With biases, masks and rotations."""
    return relative(offset)[-1].term


def shifted(offset: Term) -> Term:
    """With biases, masks and relative keys."""
    return relative(offset, keys=True)[-1].term


def named() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for the two layers, here and, primed, t further on; and which are made like which."""
    found, alike = [], []
    for of, keys in (("M", False), ("N", True)):
        here, there = (relative(offset, of, keys=keys) for offset in (OFFSET, FURTHER_ON))
        images, pairs = primed(here, there)
        found += [*here, *images]
        alike.append(pairs)
    return once(found), tuple(alike)


def kept(build: Callable[[Term], Term], offsets: Claim, row: Name, column: Name) -> Claim:
    """What is made of the offsets, all places t further on, is what is made of them here: from the
    claim that these are equal, by putting equals for equals."""
    lhs, rhs = build(FURTHER_ON), build(OFFSET)
    lemma = Lemma(offsets.statement, offsets.marks["smt"])
    proof = putting(lhs, lemma.fact)
    return holds(lhs, "=", rhs, {"smt": joined(proof, lemma)}, row=row, column=column)


def theorem() -> TheoremFile:
    """The offsets; whatever is made of them, for all n; rows added to tokens, at n = 1."""
    both: dict[str, Check] = {
        "smt": by_chain(),
        "sympy": by_sympy_simplified,
        "numeric": by_numpy(),
    }
    offsets = holds(FURTHER_ON, "=", OFFSET, both, row="i", column="j")
    slope = kept(biased, offsets, "i", "r")
    slope = replace(slope, marks={**slope.marks, "sympy": by_sympy, "numeric": by_numpy()})
    every = [kept(build, offsets, "i", "k") for build in (turned, shifted)]
    stretched = subtract(multiply(T, PLACES[1]), PLACES[0])
    near, far, wide = parts(OFFSET), parts(FURTHER_ON, "_t"), parts(stretched, "_w")
    further, pairs = named()
    row, row_on = rows_added(HERE, "_E"), rows_added(FURTHER, "_Et")
    absolute, moved_on = row[-1].term, row_on[-1].term
    one = {"W_Q": [[0]], "W_K": [[0]], "W_V": [[1]]}
    witness = Witness(dict.fromkeys(("n", "d", "d_k", "d_v"), 1), {}, {"X": [[0]]} | one)
    rows = [Atom(HERE, "=", iota(n, "i")), Atom(FURTHER, "=", add(iota(n, "i"), number(1)))]
    lost = differs(
        moved_on, absolute, {"exact": by_exact([witness]), "numeric": by_numpy_differs([witness])},
        every=(leaf_of(HERE), leaf_of(FURTHER)), given=rows, row="i", column="r",
        over=sizes(among=dict.fromkeys((n, d, d_k, d_v), (1,))),
    )  # fmt: skip
    return TheoremFile(
        id="translation_by_scheme",
        title="A common offset: relative schemes keep it, absolute ones do not",
        words=(
            Sentence(
                "The difference of two places does not change when both are t further on.", (0,)
            ),
            Sentence("So ALiBi with one slope gives the same output.", (1,)),
            Sentence(
                "Nor does the output of two layers with any biases, masks and rotations, or "
                "relative keys, that are functions of the difference.",
                (2, 3),
            ),
            Sentence(
                "Rows added to tokens, 0 at one place and 1 at the next, do change the "
                "output, already with one token.",
                (4,),
            ),
        ),
        claims=(offsets, slope, *every, lost),
        uses=("rope_relative_score", "sinusoidal_shift_is_rotation"),
        neighbour=nearby(
            slope,
            "If the places of the keys are stretched, their distances are others.",
            lhs=biased(stretched),
        ),
        neighbours=(
            nearby(offsets, "The same of places that are stretched.", lhs=stretched),
            *(
                nearby(claim, "The same of places that are stretched.", lhs=build(stretched))
                for claim, build in zip(every, (turned, shifted), strict=True)
            ),
            nearby(lost, "The same rows show nothing.", lhs=absolute),
        ),
        source="S0: “breaks permutation symmetry to translational”",
        citations=("s0", "press2022", "vaswani2017"),
        show=show(
            *SELF.named("QKVS"),
            *near,
            *far,
            *wide,
            *further,
            *row,
            *row_on,
            alike=(
                like(far, near),
                like(wide, near),
                *pairs,
                {"E_t": "E"} | like(row_on, row),
            ),
        ),
    )


if __name__ == "__main__":
    main(__spec__)
