"""Which permutations an added position table hides: exactly those with P E = E.

If P E = E, then P X + E = P (X + E), and attention takes it from there. If not, no search is
needed: take one feature in which D = P E − E is not 0, all weights 1, and X = −PᵀE. Then P X + E is
0, and so is f(P X). But P f(X) is the attention of D to itself, and D adds up to 0; where D is
largest, the query weighs positive entries more and negative ones less, and the output is positive.
"""

import itertools

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Named,
    Sentence,
    TheoremFile,
    differs,
    equivariance,
    holds,
    in_rocq,
    nearby,
    sizes,
)
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.numeric import by_numpy, by_numpy_differs
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.pages.primes import like
from orderproof.proofs.shared.symbols import TOKENS, Attention, X, as_keys, d, n, show, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.push import fixed
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    contract,
    image,
    inverse,
    iota,
    leaf_of,
    moved,
    number,
    pointwise,
    subtract,
    tensor,
)
from orderproof.symbolic.models.variants import normalised, weigh
from orderproof.symbolic.smt.chain import by_chain

E = tensor("E", i=n, c=d)
e = tensor("e", i=n, c=POINT)  # one feature of a table
ROW = tensor("a", c=d)  # the same row for all
U_Q, U_K = (tensor(name, c=POINT, k=POINT) for name in ("u_Q", "u_K"))
U_V = tensor("u_V", c=POINT, r=POINT)
LARGEST_ROW = ("largest right", "split", "scale", "permute", "constant", "positive", "outweigh")
MOVED_TABLE = Atom(moved(e, i=sigma), "≠", e, some=True)


def theorem() -> TheoremFile:
    """If, by pushing; only if, by an explicit witness for each σ and E."""
    H = add(X, E)
    hidden = Attention(H, as_keys(H))
    marks = {"sympy": by_sympy, "numeric": by_numpy()}
    facts, out = [fixed(E, i=sigma)], {"i": sigma}
    if_fixed = equivariance(hidden.Z, TOKENS, out, marks, facts=facts, row="i", column="r")

    opposite = pointwise("neg", moved(e, i=inverse(sigma)))
    zero, shown = add(moved(opposite, i=sigma), e), add(opposite, e)
    nothing, difference = parts("O", zero), parts("D", shown)
    left, right = scalar(zero), moved(scalar(shown), i=sigma)
    only_if = holds(
        left,
        "≠",
        right,
        {"smt": by_chain(*LARGEST_ROW)},
        some=True,
        row="i",
        column="r",
        given=[MOVED_TABLE, *(Atom(u, "=", number(1)) for u in (U_Q, U_K, U_V))],
    )
    shown_at = [
        differs(
            left,
            right,
            {"exact": by_exact(found), "numeric": by_numpy_differs(found)},
            every=(leaf_of(e), sigma),
            given=[table, MOVED_TABLE],
            row="i",
            column="r",
            over=sizes(among={n: (2, 3, 4)}),
        )
        for table, found in witnesses()
    ]
    constant = Attention(add(X, ROW), as_keys(add(X, ROW)))
    every = equivariance(constant.Z, TOKENS, out, marks, row="i", column="r")
    any_weights = normalised(weigh("w", hidden.Q, hidden.K, "k"), "j")
    general = contract(any_weights, hidden.V, "j")
    if_general = equivariance(general, TOKENS, out, marks, facts=facts, row="i", column="r")
    both = add(moved(opposite, i=sigma), moved(e, i=sigma))
    return TheoremFile(
        id="additive_position_iff",
        title="An added position table hides σ exactly if P E = E",
        words=(
            Sentence(
                "If P E = E, attention of X + E commutes with P for all X and all weights.", (0,)
            ),
            Sentence(
                "If P e ≠ e for one feature e, then with all weights 1 and X = −Pᵀe it does not.",
                (1,),
            ),
            Sentence("If all rows of E are equal, it commutes with every P.", (2,)),
            Sentence("Two tables show it at n = 2, 3, 4, for every P that moves them.", (3, 4)),
            Sentence("With any weight function in place of exp, P E = E is enough.", (5,)),
        ),
        claims=(
            *in_rocq("additive_position_iff", if_fixed, only_if, every),
            *shown_at,
            if_general,
        ),
        derivation="""
            H′ = P X + E                 by definition
               = P X + P E               by hypothesis
               = P (X + E)               P A + P B = P (A + B)
               = P H                     by definition

            Q′ = H′ W_Q                  by definition
               = (P H) W_Q               H′ = P H
               = P (H W_Q)               (A B) C = A (B C)
               = P Q                     by definition

            K′ = H′ W_K                  by definition
               = (P H) W_K               H′ = P H
               = P (H W_K)               (A B) C = A (B C)
               = P K                     by definition

            V′ = H′ W_V                  by definition
               = (P H) W_V               H′ = P H
               = P (H W_V)               (A B) C = A (B C)
               = P V                     by definition

            S′ = Q′ K′ᵀ / √(d_k)         by definition
               = (P Q) (P K)ᵀ / √(d_k)   Q′ = P Q; K′ = P K
               = P (Q Kᵀ) Pᵀ / √(d_k)    (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P (Q Kᵀ / √(d_k)) Pᵀ    entry by entry
               = P S Pᵀ                  by definition

            A′ = softmax(S′)             by definition
               = softmax(P S Pᵀ)         S′ = P S Pᵀ
               = softmax(P S) Pᵀ         softmax_conjugate
               = P softmax(S) Pᵀ         softmax acts on each row
               = P A Pᵀ                  by definition

            Z′ = A′ V′                   by definition
               = (P A Pᵀ) (P V)          A′ = P A Pᵀ; V′ = P V
               = (P A) V                 Pᵀ P = I (Lemma 1)
               = P (A V)                 (A B) C = A (B C)
               = P Z                     by definition
        """,
        uses=("self_attention_equivariant", "sum_act", "equivariant_of_fixed_position_table"),
        neighbour=nearby(
            if_fixed,
            "P E = E is about σ; its inverse would have to move the output back, not forth.",
            rhs=moved(hidden.Z, i=inverse(sigma)),
        ),
        neighbours=(
            nearby(every, "It moves with σ.", rhs=moved(constant.Z, i=inverse(sigma))),
            nearby(if_general, "Likewise.", rhs=moved(general, i=inverse(sigma))),
            *(
                nearby(
                    claim,
                    "If the table travels with the tokens, both sides are the attention of D.",
                    lhs=scalar(both),
                )
                for claim in (only_if, *shown_at)
            ),
        ),
        source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
        citations=("vaswani2017",),
        show=show(
            Named("H", H, "i", "c"),
            *hidden.named(),
            *nothing,
            *difference,
            Named("G", constant.Z, "i", "r"),
            Named("A_w", any_weights, "i", "j"),
            Named("Z_w", general, "i", "r"),
            Named("G'", image(constant.Z, TOKENS), "i", "r"),
            Named("A'_w", image(any_weights, TOKENS), "i", "j"),
            Named("Z'_w", image(general, TOKENS), "i", "r"),
            alike=(like(difference, nothing),),
        ),
        pushed=(if_fixed.pushed,),
    )


def scalar(tokens: Term) -> Term:
    """Attention of tokens with one feature."""
    return parts("", tokens)[-1].term


def parts(name: str, tokens: Term) -> tuple[Named, ...]:
    """Tokens with one feature by this name, and the parts of their attention, output last."""
    layer = Attention(tokens, as_keys(tokens), (U_Q, U_K, U_V))
    return Named(name, tokens, "i", "c"), *layer.named(of=f"_{name}")


def witnesses() -> list[tuple[Atom, list[Witness]]]:
    """Of two tables, all rows different and the first two alike, each with its formula: all weights
    1, for n = 2, 3, 4 and every σ that moves it."""
    one = {"u_Q": [[1]], "u_K": [[1]], "u_V": [[1]]}
    place = iota(n, "i")
    later = pointwise("max", subtract(place, number(1)), number(0))
    found = []
    for formula, table in ((place, (0, 1, 2, 3)), (later, (0, 0, 1, 2))):
        cases = [
            Witness({"n": size}, {"sigma": s}, one, query="u_Q")
            for size in (2, 3, 4)
            for s in itertools.permutations(range(size))
            if any(table[s[i]] != table[i] for i in range(size))
        ]
        found.append((Atom(e, "=", formula), cases))
    return found


if __name__ == "__main__":
    main(__spec__)
