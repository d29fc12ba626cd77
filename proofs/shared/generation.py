"""A step of generation: one query over cached (key, value) pairs, and [A, B] → C in numbers."""

from __future__ import annotations

from orderproof.proofs.check.page import Example, Formula, Table
from orderproof.proofs.marks.exact import Witness, exact_entries, vector
from orderproof.symbolic.models.attention import attention, unnormalised
from orderproof.symbolic.models.builders import leaf_of, tensor

from .symbols import d_k, d_v, m, rho

q = tensor("q", k=d_k)
K = tensor("K", j=m, k=d_k)
V = tensor("V", j=m, r=d_v)
PAIRS = {leaf_of(K): (rho, None), leaf_of(V): (rho, None)}
z = attention(q, K, V, "j", "k")
u = unnormalised(q, K, V, "j", "k")

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
            "The query of C looks at A, B and C itself. Keys k(A) = (1, 0), k(B) = (2, 1), "
            "k(C) = (1, 1), values v(A) = (1, 0), v(B) = (0, 1), v(C) = (1, 1), and the query "
            "of C is (1, 1) in units of √2·ln 2: so the scores are 1, 3 and 2 times ln 2, and "
            "softmax weighs A, B and C in the ratio 2 : 8 : 4. Without softmax the sum is "
            "1·v(A) + 3·v(B) + 2·v(C), in units of √2·ln 2.",
            Table(("cache", "scores", "with softmax", "without"), tuple(rows)),
            "Both orders give the same vectors."
            if same
            else "The two orders give different vectors: the theorem is refuted.",
        ),
    )
