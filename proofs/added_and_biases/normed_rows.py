"""Layer norms of rows to which a number is added, and attention to them.

a a number for each row; γ and β gain and bias of the norm
"""

from orderproof.proofs.prelude import *
from orderproof.symbolic.derive.rewrite import unfolded

E = tensor("E", i=n, c=d)
a = tensor("a", i=n)  # a number for each row
gamma, beta = tensor("gamma", c=d), tensor("beta", c=d)
PX, PE = moved(X, i=sigma), moved(E, i=sigma)
CHANGE = subtract(PE, E)
CONSTANT = Atom(CHANGE, "=", CHANGE.rename({"c": "b"}))  # the same in all features b and c
SOME = sizes({d: 1})
DEFINITIONS = mean_definition(d), variance_definition(d), layer_norm_definition(d)


def norm(rows: Term) -> Term:
    """The layer norm of each row."""
    return layer_norm(rows, gamma, beta, EPSILON, "c")


def attend(rows: Term) -> AttentionLayer:
    """Attention to the layer norm of rows."""
    return Attention(norm(rows), as_keys(norm(rows)))


NORMED, STAYS = attend(add(X, E)), attend(add(PX, E))  # in the second the table is not permuted
SIDES = STAYS.Z, moved(NORMED.Z, i=sigma)  # f(P X) and P f(X)
HERE = Named("N_E", norm(add(X, E)), "i", "c"), *NORMED.named()
THERE = Named("N_s", norm(add(PX, E)), "i", "c"), *STAYS.named(of="_s")
SHOWN = show(*HERE, *THERE, alike=(like(THERE, HERE),))


def same_norm(one: Term, other: Term) -> tuple[Theorem, Lemma]:
    """Rows that differ by a number for each row have the same layer norm, as they are the same less
    their means: under this lemma."""
    left, right = (subtract(rows, mean(rows, "c")) for rows in (one, other))
    lemma = by_laws(left, right, "split", "split", "constant", over=SOME)
    here, there = unfolded(norm(one)), unfolded(norm(other))
    return chain(here, putting(here.rhs, lemma.fact), kernel.sym(there)), lemma
