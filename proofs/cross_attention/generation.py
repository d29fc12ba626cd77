"""A step of generation: one query over cached (key, value) pairs, and [A, B] → C in numbers."""

from orderproof.check.marks.exact import exact_entries, vector
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.causal import CONTEXT, C, masked, x
from orderproof.symbolic.models.attention import attention, unnormalised
from orderproof.symbolic.schemes.running_means import causal_mask

q = tensor("q", k=d_k)
K = tensor("K", j=m, k=d_k)
V = tensor("V", j=m, r=d_v)
PAIRS = {leaf_of(K): (rho, None), leaf_of(V): (rho, None)}
z = attention(q, K, V, "j", "k")
u = unnormalised(q, K, V, "j", "k")
k, v = tensor("k", j=POINT, k=d_k), tensor("v", j=POINT, r=d_v)  # of the last token itself
z_C = attention(q, cat(K, k, "j"), cat(V, v, "j"), "j", "k")
u_C = unnormalised(q, cat(K, k, "j"), cat(V, v, "j"), "j", "k")
G = causal_mask(ALL)


def hidden(mask: Term | None, context: Term = C) -> tuple[Named, ...]:
    """A step in a second layer, by parts. Its pairs are made of hidden states: the outputs H of a
    first layer over (C; x), masked or not. Its query is made of h, the last of them, which attends
    to all tokens in any case."""
    tokens = cat(context, x, "i")
    first, own = masked(tokens, mask), masked(tokens, None, x)
    memory, query = (layer.Z.rename({"r": "c"}) for layer in (first, own))
    step = masked(memory, None, query)
    kind = "" if mask is None else "_G"
    return (
        Named("T", tokens, "i", "c"), Named("h", query, "i", "c"),
        Named(f"H{kind}", memory, "i", "c"), Named(f"s{kind}", step.Z, "i", "r"),
    )  # fmt: skip


PC = image(C, CONTEXT)
OPEN, MASKED = hidden(None), hidden(G)
OPEN_PC, MASKED_PC = hidden(None, PC), hidden(G, PC)  # of the context permuted


def show_steps() -> Show:
    """How the book writes these tensors."""
    there, like = primed((*OPEN, *MASKED[2:]), (*OPEN_PC, *MASKED_PC[2:]))
    names = Named("z", z), Named("u", u), Named("z_C", z_C), Named("u_C", u_C)
    layers = Named("G", G, "i", "j"), *OPEN, *MASKED[2:], Named("C'", PC, "i", "c"), *there
    letters = {POINT: "o", ALL: "ijl"}
    return show(*names, *layers, alike=({"C'": "C"} | like,), letters=letters)


def over_pairs(function: str) -> Check:
    """The numeric mark: a step from the papers over the cached pairs, and over the last token's own
    where it is given."""

    def run(t: Values) -> Any:
        keys, values = ([*t[many], *t.get(own, ())] for many, own in (("K", "k"), ("V", "v")))
        step = getattr(reference.attention, function)
        return step(t["q"], list(zip(keys, values, strict=True)))

    return by_numpy(run)


CACHE = {  # keys, values
    "A": ([1, 0], [1, 0]), "B": ([2, 1], [0, 1]), "C": ([1, 1], [1, 1]), "D": ([0, 1], [2, 1]),
}  # fmt: skip


def cached(order: str, rho: tuple[int, ...] = (), *, own: bool = False) -> Witness:
    """The cache in an order, and a reordering of it, with C's own pair beside it if `own`; the
    query in units of √2·ln 2."""
    keys, values = ([CACHE[x][part] for x in order] for part in (0, 1))
    last = dict(zip("kv", ([part] for part in CACHE["C"]), strict=True)) if own else {}
    tensors = {"q": [1, 1], "K": keys, "V": values, **last}
    return Witness({"m": len(order), "d_k": 2, "d_v": 2}, {"rho": rho}, tensors, query="q")


def example() -> Example:
    """[A, B] → C and [B, A] → C, computed from the theorem's terms."""
    rows: list[tuple[str | Formula, ...]] = []
    for order in ("AB", "BA"):
        entries = (exact_entries(t, cached(order, own=True)) for t in (z_C, u_C))
        scores = ", ".join(f"{x}: {sum(CACHE[x][0])}" for x in f"{order}C")
        rows.append(
            (f"[{order[0]}, {order[1]}] → C", scores, *(vector([e[0,], e[1,]]) for e in entries))
        )
    same = rows[0][2:] == rows[1][2:]
    return Example(
        "[A, B] → C against [B, A] → C",
        (
            "The query of C looks at the cached pairs of A and B and at C's own. Keys "
            "k(A) = (1, 0), k(B) = (2, 1), k(C) = (1, 1), values v(A) = (1, 0), v(B) = (0, 1), "
            "v(C) = (1, 1), and the query of C is (1, 1) in units of √2·ln 2: so the scores are "
            "1, 3 and 2 times ln 2, and softmax weighs A, B and C in the ratio 2 : 8 : 4. Without "
            "softmax the sum is 1·v(A) + 3·v(B) + 2·v(C), in units of √2·ln 2.",
            Table(("cache", "scores", "with softmax", "without"), tuple(rows)),
            "Both orders give the same vectors."
            if same
            else "The two orders give different vectors: the theorem is refuted.",
        ),
    )
