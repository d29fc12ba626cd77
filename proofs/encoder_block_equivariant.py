"""An encoder block commutes with every permutation of its tokens: Z′ = P Z.

A block is multi-head attention, a feed-forward map, two residuals and two layer norms. Attention is
equivariant; all else acts on rows. Where the norms stand, before what they belong to (pre-norm) or
after its residual (post-norm), is of no account.
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from orderproof.numeric.reference import encoder as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Named,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.marks.numeric import Reference, by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy_to
from orderproof.proofs.shared.encoder_symbols import POSITIVE, WEIGHTS, WIDTHS, show
from orderproof.proofs.shared.symbols import TOKENS, X, sigma
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.models.attention import Block, block_parts, gelu, relu
from orderproof.symbolic.models.builders import inverse, moved

POST = block_parts(X, WEIGHTS, WIDTHS, relu, pre_norm=False)
PRE = block_parts(X, WEIGHTS, WIDTHS, gelu, pre_norm=True)


def named(block: Block, parts: str, suffix: str) -> tuple[Named, ...]:
    """The tensors of a block by name, with tokens as rows and features as columns."""
    return tuple(Named(f"{x}_{suffix}", getattr(block, x), "i", "c") for x in parts)


def theorem() -> TheoremFile:
    """Post-norm with ReLU, pre-norm with GELU."""

    def claim(t: Term, expected: Reference) -> Claim:
        marks = {
            "sympy": by_sympy_to(3, d=3),
            "numeric": by_numpy(expected),
        }
        pushed = pushing(t, TOKENS)
        return equivariance(
            t, TOKENS, {"i": sigma}, pushed, marks, row="i", column="c", given=[POSITIVE]
        )

    def layer(
        block: reference.Layer, activation: reference.Activation
    ) -> Callable[[dict[str, NDArray[Any]]], NDArray[Any]]:
        return lambda t: block(t["X"], t, activation)

    post = claim(POST.Z, layer(reference.post_norm_block, reference.relu))
    pre = claim(PRE.Z, layer(reference.pre_norm_block, reference.gelu))
    return TheoremFile(
        id="encoder_block_equivariant",
        title="An encoder block is permutation equivariant, pre-norm or post-norm",
        words=(
            Sentence(
                "Permuting the tokens permutes the outputs of an encoder block of multi-head "
                "attention, feed-forward map, residuals and layer norms: with the norms after "
                "the residuals, and before the maps.",
                (0, 1),
            ),
        ),
        source="S0 (ViT, encoder-only); post-norm: Vaswani et al. 2017, section 3.1; pre-norm: "
        "Xiong et al. 2020, table 1",
        citations=("vaswani2017", "xiong2020", "s0"),
        claims=in_rocq("encoder_block_equivariant", post, pre),
        pushed=(pushing(POST.Z, TOKENS), pushing(PRE.Z, TOKENS)),
        show=show(*named(POST, "MYFZ", "post"), *named(PRE, "NMYGFZ", "pre")),
        neighbour=nearby(
            post,
            "With Pᵀ in place of P it fails at a 3-cycle.",
            rhs=moved(POST.Z, i=inverse(sigma)),
        ),
        uses=("multi_head_equivariant", "row_wise_equivariant"),
    )


if __name__ == "__main__":
    main(__spec__)
