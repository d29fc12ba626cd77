"""Generation: one query over cached (key, value) pairs does not see the order of the pairs.

The next token is computed from the query q of the last one and the pairs (kⱼ, vⱼ) of all tokens
so far, the last one's own among them. Reorder the pairs, and the weighted sum has the same terms.
That is so with softmax, and also in the form Σⱼ (q·kⱼ) vⱼ in which the softmax is left out.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
)
from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.marks.exact import Witness, by_exact, exact_entries, vector
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import d_k, d_v, m, rho, show
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.attention import attention, unnormalised
from orderproof.symbolic.models.builders import image, leaf_of, tensor

Step = Callable[[NDArray[Any], list[tuple[NDArray[Any], NDArray[Any]]]], NDArray[Any]]

q = tensor("q", k=d_k)
K = tensor("K", j=m, k=d_k)
V = tensor("V", j=m, r=d_v)
PAIRS = {leaf_of(K): (rho, None), leaf_of(V): (rho, None)}
z = attention(q, K, V, "j", "k")
u = unnormalised(q, K, V, "j", "k")


def theorem() -> TheoremFile:
    """With softmax, and without it."""

    def claim(t: Term, step: Step) -> Claim:
        marks = {
            "sympy": by_sympy,
            "exact": by_exact([cached("ABC", (1, 0, 2)), cached("ABDC", (1, 2, 0, 3))]),
            "numeric": by_numpy(lambda g: step(g["q"], list(zip(g["K"], g["V"], strict=True)))),
        }
        return equivariance(t, PAIRS, {}, marks)

    softmaxed = claim(z, reference.generation_step)
    return TheoremFile(
        id="generation_order_independent",
        title="A step of generation does not see the order of its cache",
        words=(
            Sentence(
                "Reordering the cached (key, value) pairs does not change the output of "
                "attention for the next query.",
                (0,),
            ),
            Sentence("Nor does it without softmax.", (1,)),
            Sentence(
                "In a deeper model the pairs are made of hidden states: without a mask these move "
                "along with their tokens, under a causal mask they depend on the order of the "
                "tokens before them (two_causal_layers_see_order)."
            ),
        ),
        claims=in_rocq(
            "generation_order_independent",
            softmaxed,
            claim(u, reference.generation_step_unnormalised),
        ),
        derivation="""
            z′[r] = Σ_j softmax_j((Σ_k q[k] K[ρ(j), k]) / √(d_k)) V[ρ(j), r]      by definition
                  = Σ_j softmax_l((Σ_k q[k] K[l, k]) / √(d_k))[ρ(j)] V[ρ(j), r]   softmax_conjugate
                  = Σ_j softmax_j((Σ_k q[k] K[j, k]) / √(d_k)) V[j, r]            Lemma 1
                  = z[r]                                                          by definition

            u′[r] = Σ_j (Σ_k q[k] K[ρ(j), k]) V[ρ(j), r]                          by definition
                  = Σ_j (Σ_k q[k] K[j, k]) V[j, r]                                Lemma 1
                  = u[r]                                                          by definition
        """,
        uses=("softmax_conjugate", "sum_act"),
        neighbour=nearby(
            softmaxed,
            "A pair is one thing: keys reordered under the values that stay are another cache.",
            lhs=image(z, {leaf_of(K): (rho, None)}),
        ),
        source="S3",
        show=show(Named("z", z), Named("u", u)),
        examples=(example(),),
    )


CACHE = {  # keys, values
    "A": ([1, 0], [1, 0]), "B": ([2, 1], [0, 1]), "C": ([1, 1], [1, 1]), "D": ([0, 1], [2, 1]),
}  # fmt: skip


def cached(order: str, rho: tuple[int, ...] = ()) -> Witness:
    """The cache in an order, and a reordering of it; the query in units of √2·ln 2."""
    keys, values = ([CACHE[x][part] for x in order] for part in (0, 1))
    sizes = {"m": len(order), "d_k": 2, "d_v": 2}
    return Witness(sizes, {"rho": rho}, {"q": [1, 1], "K": keys, "V": values}, query="q")


def example() -> Example:
    """[A, B] → C and [B, A] → C, computed from the theorem's terms."""
    rows: list[tuple[str | Formula, ...]] = []
    results = []
    for order in ("ABC", "BAC"):
        entries = (exact_entries(t, cached(order)) for t in (z, u))
        pair = [tuple(e[k,] for k in (0, 1)) for e in entries]
        results.append(pair)
        scores = ", ".join(f"{x}: {sum(CACHE[x][0])}" for x in order)
        rows.append((f"[{order[0]}, {order[1]}] → C", scores, *(vector(p) for p in pair)))
    same = results[0] == results[1]
    return Example(
        "[A, B] → C against [B, A] → C",
        (
            "The query of C looks at A, B and C itself. Keys k(A) = (1, 0), k(B) = (2, 1), k(C) = "
            "(1, 1), values v(A) = (1, 0), v(B) = (0, 1), v(C) = (1, 1), and the query of C is "
            "(1, 1) in units of √2·ln 2: so the scores are 1, 3 and 2 times ln 2, and softmax "
            "weighs A, B and C as 2 to 8 to 4. Without softmax the sum is 1·v(A) + 3·v(B) + "
            "2·v(C), in units of √2·ln 2.",
            Table(("cache", "scores", "with softmax", "without"), tuple(rows)),
            "Both orders give the same vectors."
            if same
            else "The two orders give different vectors: the theorem is refuted.",
        ),
    )


if __name__ == "__main__":
    main(__spec__)
