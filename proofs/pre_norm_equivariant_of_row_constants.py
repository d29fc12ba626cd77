"""After a layer norm, attention does not see numbers that are added to whole rows.

A layer norm takes its mean from each row first, and so a number that was added to all features of a
row is gone: LN(X + a1ᵀ) = LN(X). So if a permutation changes a position table by such numbers
alone, P E = E + a1ᵀ, then LN(P X + E) = LN(P X + P E) = P LN(X + E), and attention of it commutes
with P although P E ≠ E. (A skip that carries X + E past the norm shows the table all the same.)
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Atom,
    Named,
    Sentence,
    TheoremFile,
    holds,
    nearby,
    pushing,
    sizes,
)
from orderproof.proofs.marks.joined import Lemma, by_laws, joined, putting
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_simplified
from orderproof.proofs.shared.encoder_symbols import EPSILON, POSITIVE, show
from orderproof.proofs.shared.symbols import Attention, X, as_keys, d, n, sigma
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.push import chain
from orderproof.symbolic.derive.rewrite import unfolded
from orderproof.symbolic.models.attention import (
    layer_norm,
    layer_norm_definition,
    mean_definition,
    variance_definition,
)
from orderproof.symbolic.models.builders import add, inverse, leaf_of, mean, moved, subtract, tensor

E = tensor("E", i=n, c=d)
a = tensor("a", i=n)  # a number for each row
gamma, beta = tensor("gamma", c=d), tensor("beta", c=d)
PX, PE = moved(X, i=sigma), moved(E, i=sigma)
SHIFTED = Atom(PE, "=", add(E, a))
SOME = sizes({d: 1})


def norm(rows: Term) -> Term:
    """The layer norm of each row."""
    return layer_norm(rows, gamma, beta, EPSILON, "c")


def attend(rows: Term) -> Attention:
    """Attention to the layer norm of rows."""
    return Attention(norm(rows), as_keys(norm(rows)))


def centred(rows: Term) -> Term:
    """Each row less its mean."""
    return subtract(rows, mean(rows, "c"))


def same_norm(one: Term, other: Term) -> tuple[Theorem, Lemma]:
    """Rows that differ by a number for each row have the same layer norm, as they are the same less
    their means: under this lemma."""
    lemma = by_laws(centred(one), centred(other), "split", "split", "constant", over=SOME)
    here, there = unfolded(norm(one)), unfolded(norm(other))
    return chain(here, putting(here.rhs, lemma.fact), kernel.sym(there)), lemma


def theorem() -> TheoremFile:
    """The norm, by algebra; attention after it, by pushing."""
    lost = holds(
        norm(add(X, a)), "=", norm(X),
        {
            "smt": joined(*same_norm(add(X, a), X)),
            "sympy": by_sympy_simplified, "numeric": by_numpy(),
        },
        row="i", column="c", given=[POSITIVE], over=SOME,
    )  # fmt: skip
    travels = pushing(attend(add(X, E)).Z, {leaf_of(t): (sigma, None) for t in (X, E)})
    table = putting(norm(add(PX, PE)), kernel.hyp(PE, add(E, a)))
    same, lemma = same_norm(add(PX, add(E, a)), add(PX, E))
    still = kernel.sym(chain(table, same))  # LN(P X + E) = LN(P X + P E)
    whole = chain(putting(attend(add(PX, E)).Z, still), travels.theorem)
    output = attend(add(X, E))
    hidden = holds(
        attend(add(PX, E)).Z, "=", moved(output.Z, i=sigma),
        {"smt": joined(whole, lemma)},
        row="i", column="r", given=[SHIFTED], over=SOME,
    )  # fmt: skip
    return TheoremFile(
        id="pre_norm_equivariant_of_row_constants",
        title="After a layer norm, a table that σ changes by row constants is not seen",
        words=(
            Sentence(
                "A layer norm of rows is the same where a number is added to all features of a "
                "row, one for each row.",
                (0,),
            ),
            Sentence(
                "If P E − E is such a number for each row, attention of the layer norm of X + E "
                "commutes with P for all X and all weights.",
                (1,),
            ),
            Sentence("A skip that carries X + E past the norm shows the table all the same."),
        ),
        claims=(lost, hidden),
        derivation="""
            N_E′ = LayerNorm(P X + P E, γ, β, ε)   by definition
                 = LayerNorm(P (X + E), γ, β, ε)   P A + P B = P (A + B)
                 = P LayerNorm(X + E, γ, β, ε)     LayerNorm acts on each row
                 = P N_E                           by definition

            Q′ = N_E′ W_Q                          by definition
               = (P N_E) W_Q                       N_E′ = P N_E
               = P (N_E W_Q)                       (A B) C = A (B C)
               = P Q                               by definition

            K′ = N_E′ W_K                          by definition
               = (P N_E) W_K                       N_E′ = P N_E
               = P (N_E W_K)                       (A B) C = A (B C)
               = P K                               by definition

            V′ = N_E′ W_V                          by definition
               = (P N_E) W_V                       N_E′ = P N_E
               = P (N_E W_V)                       (A B) C = A (B C)
               = P V                               by definition

            S′ = Q′ K′ᵀ / √(d_k)                   by definition
               = (P Q) (P K)ᵀ / √(d_k)             Q′ = P Q; K′ = P K
               = P (Q Kᵀ) Pᵀ / √(d_k)              (A B)ᵀ = Bᵀ Aᵀ; (A B) C = A (B C)
               = P (Q Kᵀ / √(d_k)) Pᵀ              entry by entry
               = P S Pᵀ                            by definition

            A′ = softmax(S′)                       by definition
               = softmax(P S Pᵀ)                   S′ = P S Pᵀ
               = softmax(P S) Pᵀ                   softmax_conjugate
               = P softmax(S) Pᵀ                   softmax acts on each row
               = P A Pᵀ                            by definition

            Z′ = A′ V′                             by definition
               = (P A Pᵀ) (P V)                    A′ = P A Pᵀ; V′ = P V
               = (P A) V                           Pᵀ P = I (Lemma 1)
               = P (A V)                           (A B) C = A (B C)
               = P Z                               by definition
        """,
        uses=("row_wise_equivariant", "self_attention_equivariant", "additive_position_iff"),
        neighbour=nearby(
            hidden,
            "The output moves with P, not back.",
            rhs=moved(output.Z, i=inverse(sigma)),
        ),
        neighbours=(
            nearby(lost, "Rows that are not normed show it.", lhs=add(X, a), rhs=X),
            nearby(
                hidden,
                "Without the hypothesis the table is seen.",
                given=frozenset(),
            ),
        ),
        source="layer norm: Ba et al. 2016, eq. (3)",
        citations=("ba2016", "vaswani2017"),
        show=show(
            Named("N", norm(X), "i", "c"),
            Named("N_a", norm(add(X, a)), "i", "c"),
            Named("N_E", norm(add(X, E)), "i", "c"),
            *output.named(),
            Named("N_s", norm(add(PX, E)), "i", "c"),  # the table stays
            *attend(add(PX, E)).named(of="_s"),
        ),
        pushed=(travels,),
        definitions=(mean_definition(d), variance_definition(d), layer_norm_definition(d)),
    )


if __name__ == "__main__":
    main(__spec__)
