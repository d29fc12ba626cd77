"""What the theorems of this chapter claim: f(P X) = P f(X), of blocks and of other weights."""

from orderproof.proofs.prelude import *

f = Set("f")  # features that queries and keys have instead of d_k


def equivariant(
    t: Term, numeric: Check, *, moves: Moves = TOKENS, column: str = "c", **options: Any
) -> Claim:
    """Permuting the tokens permutes the rows of t; SymPy looks at sizes up to 3."""
    marks = {"sympy": by_sympy_to(3, d=3), "numeric": numeric}
    return equivariance(t, moves, {"i": sigma}, marks, row="i", column=column, **options)


def equivariant_attention(
    t: Term, expected: Callable[[Array, Array, Array, Values], Array]
) -> Claim:
    """The same of attention without softmax; `expected` is a reference from the papers, which is
    given X W_Q, X W_K, X W_V and all tensors."""

    def of_tokens(given: Values) -> Array:
        q, k, v = (given["X"] @ given[name] for name in ("W_Q", "W_K", "W_V"))
        return expected(q, k, v, given)

    marks = {"sympy": by_sympy, "numeric": by_numpy(of_tokens)}
    return equivariance(t, TOKENS, {"i": sigma}, marks, row="i", column="r")


def linear_in_features(
    features: Callable[[Term], Term],
    in_numbers: Callable[[dict[str, Any]], Callable[[Array], Array]],
    names: str,
    titles: tuple[str, str],
    derivation: str,
) -> Proof:
    """Linear attention with these features of each row, as terms and in numbers; the names of the
    features of queries and of keys, of the sums over the keys with the values and alone, and of the
    output; and the titles of the features and of the output."""
    queries, keys = features(SELF.Q), features(SELF.K)
    sums, alone = contract(keys, SELF.V, "j"), total(keys, "j")  # what all queries share
    output = linear_attention(queries, keys, SELF.V, "j", "a")
    claim = equivariant_attention(
        output, lambda q, k, v, t: reference.sets.linear_attention(q, k, v, in_numbers(t))
    )
    terms: tuple[tuple[Any, ...], ...] = (
        (queries, "i", "a"), (keys, "j", "a"), (sums, "a", "r"), (alone,), (output, "i", "r"),
    )  # fmt: skip
    made = [Named(x, *t) for x, t in zip(names.split(), terms, strict=True)]
    said = (
        f"{titles[0]} of the queries",
        f"{titles[0]} of the keys",
        "The sums over the keys, which do not change: with the values",
        "The sums over the keys: of the features alone",
        titles[1],
    )
    return Proof(
        claims=in_rocq("kernel_attention_equivariant", claim),
        derivation=derivation,
        planted=transposed(claim),
        show=show(*SELF.named("QKV"), *made, letters={f: "a"}),
        cited=dict.fromkeys("QKV", "qkv_equivariant"),
        titles=dict(zip(names.split(), said, strict=True)),
    )
