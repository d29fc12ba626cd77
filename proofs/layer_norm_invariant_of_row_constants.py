"""A layer norm does not change where a number is added to all features of a row.

It takes the mean from each row first, and so the number is gone: LN(X + a1ᵀ) = LN(X).
"""

from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import Named, Sentence, TheoremFile, holds, in_rocq, nearby
from orderproof.proofs.marks.joined import joined
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_simplified
from orderproof.proofs.shared.encoder_symbols import POSITIVE, show
from orderproof.proofs.shared.normed_rows import SOME, a, norm, same_norm
from orderproof.proofs.shared.symbols import X, d
from orderproof.symbolic.models.attention import (
    layer_norm_definition,
    mean_definition,
    variance_definition,
)
from orderproof.symbolic.models.builders import add


def theorem() -> TheoremFile:
    """Rows less their means are the same, and a norm is a function of these."""
    lost = holds(
        norm(add(X, a)), "=", norm(X),
        {
            "smt": joined(*same_norm(add(X, a), X)),
            "sympy": by_sympy_simplified, "numeric": by_numpy(),
        },
        row="i", column="c", given=[POSITIVE], over=SOME,
    )  # fmt: skip
    return TheoremFile(
        id="layer_norm_invariant_of_row_constants",
        title="Layer norm is invariant under adding a constant to each row",
        words=(
            Sentence(
                "The layer norm does not change if a number is added to all features of a "
                "row, any number for each row.",
                (0,),
            ),
        ),
        claims=in_rocq("layer_norm_invariant_of_row_constants", lost),
        uses=("norms_equivariant",),
        neighbour=nearby(lost, "Without the layer norm the rows differ.", lhs=add(X, a), rhs=X),
        source="layer norm: Ba et al. 2016, eq. (3)",
        citations=("ba2016",),
        show=show(Named("N", norm(X), "i", "c"), Named("N_a", norm(add(X, a)), "i", "c")),
        definitions=(mean_definition(d), variance_definition(d), layer_norm_definition(d)),
    )


if __name__ == "__main__":
    main(__spec__)
