"""Cross-attention: equivariant in the queries, blind to the order of the memory.

The decoder looks back at a memory Y. Permute its own tokens, and the outputs are permuted; permute
the memory, keys and values together, and nothing changes at all. With both, Z′ = P Z.
"""

from orderproof.numeric.reference import attention as reference
from orderproof.proofs.book.script import main
from orderproof.proofs.check.claims import (
    Claim,
    Sentence,
    TheoremFile,
    equivariance,
    in_rocq,
    nearby,
    pushing,
)
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.shared.symbols import CROSS, MEMORY, TOKENS, show, sigma
from orderproof.symbolic.calculus.terms import Map, Name, Op
from orderproof.symbolic.derive.push import Motion, Pushed

Moves = dict[Op, Motion]


def theorem() -> TheoremFile:
    """Queries alone, memory alone, both."""
    marks = {
        "sympy": by_sympy,
        "numeric": by_numpy(
            lambda t: reference.cross_attention(t["X"], t["Y"], t["W_Q"], t["W_K"], t["W_V"])
        ),
    }
    queries, memory, both = (pushing(CROSS.Z, moves) for moves in (TOKENS, MEMORY, TOKENS | MEMORY))

    def claim(moves: Moves, motion: dict[Name, Map], pushed: Pushed) -> Claim:
        return equivariance(CROSS.Z, moves, motion, pushed, marks, row="i", column="r")

    first = claim(TOKENS, {"i": sigma}, queries)
    invariant = claim(MEMORY, {}, memory)
    return TheoremFile(
        id="cross_attention_equivariant",
        title="Cross-attention: queries move, memory does not matter",
        words=(
            Sentence(
                "Permuting the queries permutes the outputs, and permuting keys and values "
                "together changes nothing: both at once, and each alone.",
                (0, 1, 2),
            ),
        ),
        source="S0 (the decoder looks back); S2 (Q, K and V differ)",
        claims=in_rocq(
            "cross_attention_equivariant",
            first,
            invariant,
            claim(TOKENS | MEMORY, {"i": sigma}, both),
        ),
        pushed=(both,),
        show=show(*CROSS.named()),
        neighbour=nearby(
            invariant,
            "Invariant in the memory is not invariant in the queries: with the queries moved the "
            "outputs do move.",
            lhs=first.lhs,
        ),
        uses=("softmax_conjugate", "sum_act"),
    )


if __name__ == "__main__":
    main(__spec__)
