"""Which permutations an added position table hides: exactly those with P E = E.

If P E = E, then P X + E = P (X + E), and attention takes it from there. If not, no search is
needed: take one feature in which D = P E − E is not 0, all weights 1, and X = −PᵀE. Then P X + E is
0, and so is f(P X). But P f(X) is the attention of D to itself, and D adds up to 0; where D is
largest, the query weighs positive entries more and negative ones less, and the output is positive.
"""

import itertools

from orderproof.symbolic.additive_tables import centred_account, outside_account, uniform_account
from orderproof.symbolic.attention_variants import normalised, weigh
from orderproof.symbolic.language import (
    POINT,
    add,
    contract,
    image,
    inverse,
    moved,
    pointwise,
    tensor,
    total,
)
from orderproof.symbolic.tactic import fixed
from orderproof.symbolic.terms import Term

from .claims import Claim, Formula, Named, TheoremFile, equivariance, in_rocq, nearby, pushing
from .marks import by_kernel, by_smt, by_sympy, by_sympy_simplified
from .marks_numeric import by_numpy, by_numpy_differs
from .naming import like
from .script import main
from .vocabulary import TOKENS, Attention, X, as_keys, d, n, show, sigma
from .witnesses import Witness, by_exact

E = tensor("E", i=n, c=d)
e = tensor("e", i=n, c=POINT)  # one feature of a table
ROW, SHIFT = tensor("a", c=d), tensor("b", i=n)  # the same row for all; a number for each row
U_Q, U_K = (tensor(name, c=POINT, k=POINT) for name in ("u_Q", "u_K"))
U_V = tensor("u_V", c=POINT, r=POINT)


def theorem() -> TheoremFile:
    """If, by pushing; only if, by an explicit witness for each σ and E."""
    H = add(X, E)
    hidden = Attention(H, as_keys(H))
    pushed = pushing(hidden.Z, TOKENS, [fixed(E, i=sigma)])
    marks = {"kernel": by_kernel, "sympy": by_sympy, "numeric": by_numpy()}
    if_fixed = equivariance(hidden.Z, TOKENS, {"i": sigma}, pushed, marks, row="i", column="r")

    opposite = pointwise("neg", moved(e, i=inverse(sigma)))
    zero, shown = add(moved(opposite, i=sigma), e), add(opposite, e)
    nothing, difference = parts("O", zero), parts("D", shown)
    left, right = scalar(zero), moved(scalar(shown), i=sigma)
    account = outside_account(left, right)
    found = list(witnesses())
    only_if = Claim(
        "iff, only if", left, right, {"smt": by_smt(account)},
        scope="all n, for X = −Pᵀe", relation="≠", row="i", column="r",
        provided=Formula(
            r"P e \neq e,\; u_{Q} = u_{K} = u_{V} = 1", "P e ≠ e, u_Q = u_K = u_V = 1"
        ),
    )  # fmt: skip
    shown_at = Claim(
        "exists", left, right,
        {"exact": by_exact(found), "numeric": by_numpy_differs(found)},
        scope="n = 2, 3, 4, and for each of two tables every σ that moves it", relation="≠",
        row="i", column="r", sizes={n: ("∈", (2, 3, 4))},
    )  # fmt: skip
    constant = Attention(add(X, ROW), as_keys(add(X, ROW)))
    every = equivariance(
        constant.Z, TOKENS, {"i": sigma}, pushing(constant.Z, TOKENS), marks, row="i", column="r"
    )
    any_weights = normalised(weigh("w", hidden.Q, hidden.K, "k"), "j")
    general = contract(any_weights, hidden.V, "j")
    if_general = equivariance(
        general, TOKENS, {"i": sigma}, pushing(general, TOKENS, [fixed(E, i=sigma)]), marks,
        row="i", column="r",
    )  # fmt: skip
    alike = uniform_account(X, E, sigma, "i")
    uniform = Claim(
        "uniform weights", alike.lhs, alike.rhs,
        {"smt": by_smt(alike), "sympy": by_sympy_simplified, "numeric": by_numpy()},
        scope="all n; so a constant weight function shows no table, P E = E or not",
    )  # fmt: skip
    added = centred_account(X, SHIFT, "c")
    centred = Claim(
        "centred rows", added.lhs, added.rhs,
        {"smt": by_smt(added), "sympy": by_sympy_simplified, "numeric": by_numpy()},
        scope="all n, all d ≥ 1; so after a layer norm, no row of P E − E in span(1) "
        "is seen", row="i", column="c", sizes={d: ("≥", (1,))},
    )  # fmt: skip
    both = add(moved(opposite, i=sigma), moved(e, i=sigma))
    return TheoremFile(
        id="additive_position_iff",
        title="An added position table hides σ exactly if P E = E",
        words="Attention of X + E commutes with P for all X and all weights if and only if E is "
        "constant on each cycle of σ; with every P, if and only if all rows of E are equal. "
        "(Only if: e is one feature of E in which P e ≠ e, and each weight the projection on it.) "
        "So with any weight function that is positive and strictly increasing, but not with a "
        "constant one; and after a layer norm, no row of P E − E that is all alike is seen.",
        source="positions added to the tokens: Vaswani et al. 2017, section 3.5",
        citations=("vaswani2017",),
        claims=(
            *in_rocq("additive_position_iff", if_fixed, only_if, every),
            shown_at,
            if_general,
            uniform,
            centred,
        ),
        pushed=(pushed,),
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
        neighbour=nearby(
            if_fixed,
            "P E = E is about σ; its inverse would have to move the output back, not forth.",
            rhs=moved(hidden.Z, i=inverse(sigma)),
        ),
        neighbours=(
            nearby(every, "It moves with σ.", rhs=moved(constant.Z, i=inverse(sigma))),
            nearby(if_general, "Likewise.", rhs=moved(general, i=inverse(sigma))),
            nearby(uniform, "The tokens count, and not the table alone.", rhs=total(E, "i")),
            nearby(centred, "A row that is not centred shows it.", lhs=add(X, SHIFT)),
            *(
                nearby(
                    claim,
                    "If the table travels with the tokens, both sides are the attention of D.",
                    lhs=scalar(both),
                )
                for claim in (only_if, shown_at)
            ),
        ),
        uses=("self_attention_equivariant", "sum_act", "equivariant_of_fixed_position_table"),
    )


def scalar(tokens: Term) -> Term:
    """Attention of tokens with one feature."""
    return parts("", tokens)[-1].term


def parts(name: str, tokens: Term) -> tuple[Named, ...]:
    """Tokens with one feature by this name, and the parts of their attention, output last."""
    layer = Attention(tokens, as_keys(tokens), (U_Q, U_K, U_V))
    return Named(name, tokens, "i", "c"), *layer.named(of=f"_{name}")


def witnesses() -> list[Witness]:
    """Every σ ≠ 1 for n = 2, 3, 4, and two tables: all rows different, and the first not."""
    one = {"u_Q": [[1]], "u_K": [[1]], "u_V": [[1]]}
    found = []
    for size in (2, 3, 4):
        for s in itertools.permutations(range(size)):
            for table in (list(range(size)), [0] + [max(k - 1, 0) for k in range(1, size)]):
                if any(table[s[i]] != table[i] for i in range(size)):
                    tensors = {"e": [[v] for v in table], **one}
                    found.append(Witness({"n": size}, {"sigma": s}, tensors, query="u_Q"))
    return found


if __name__ == "__main__":
    main(__spec__)
