"""Pushing: what comes out is a theorem with exactly the sides that were asked for, or Stuck."""

from __future__ import annotations

from typing import Any

import pytest

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.kernel import hyp, is_theorem
from orderproof.symbolic.calculus.terms import Map, Op, Set, ShapeError, Term, at, build
from orderproof.symbolic.derive import push as tactic
from orderproof.symbolic.derive.push import Pushed, Stuck, fixed, push
from orderproof.symbolic.models import names
from orderproof.symbolic.models.attention import attention, softmax
from orderproof.symbolic.models.builders import (
    add,
    call,
    cat,
    constant,
    contract,
    define,
    delta,
    exp,
    image,
    inverse,
    iota,
    leaf_of,
    mean,
    moved,
    multiply,
    opaque,
    permutation,
    pointwise,
    symbol,
    tensor,
    total,
)

N, M, D = Set("n"), Set("m"), Set("d")
X, Y, E = tensor("X", i=N, c=D), tensor("Y", j=M, c=D), tensor("E", i=N, c=D)
S = tensor("S", i=N, j=M)
B = tensor("B", i=N, j=N)
σ, ρ = permutation("sigma", N), permutation("rho", M)
TOKENS = {leaf_of(X): (σ, None)}


def done(t: Term, moves: Any, facts: Any = ()) -> Pushed:
    """The push of a term, which must go through and say exactly what was asked."""
    result = push(t, moves, facts)
    assert isinstance(result, Pushed), str(result)
    th = result.theorem
    assert is_theorem(th)
    assert th.lhs.node is image(t, moves).node
    right = at(t, {a: m(a) for a, m in zip(t.axes, result.motion, strict=True) if m})
    assert th.rhs.node is right.node
    both = kernel.equation(image(t, moves), right)
    assert (th.lhs, th.rhs) == both
    return result


def stuck(t: Term, moves: Any, facts: Any = ()) -> Stuck:
    """Where the push of a term ends, in words for people."""
    result = push(t, moves, facts)
    assert isinstance(result, Stuck)
    for text in (result.tensor, result.reason):
        assert text
        assert "Set(" not in text
        assert "Map(" not in text
        assert "object" not in text
        assert "'" not in text
    return result


def self_attention(x: Term) -> Term:
    """Attention of tokens to themselves, without weights."""
    keys = x.rename({"i": "j"})
    return attention(x, keys, keys.rename({"c": "r"}), "j", "c")


THROUGH: list[tuple[str, Term, Any, tuple[Any, ...]]] = [
    ("pointwise", exp(X), TOKENS, (σ, None)),
    ("a sum over the moved axis", total(X, "i"), TOKENS, (None,)),
    ("a mean", mean(X, "i"), TOKENS, (None,)),
    ("softmax", softmax(S, "j"), {leaf_of(S): (σ, ρ)}, (ρ, σ)),
    ("attention", self_attention(X), TOKENS, (σ, None)),
    ("an inverse", self_attention(X), {leaf_of(X): (inverse(σ), None)}, (inverse(σ), None)),
    ("a diagonal", at(B, {"j": "i"}), {leaf_of(B): (σ, σ)}, (σ,)),
    ("a transpose", B.rename({"i": "j", "j": "i"}), {leaf_of(B): (σ, None)}, (σ, None)),
    ("a row-wise map", opaque("f", {"c": "c"}, X, {"k": D}), TOKENS, (None, σ)),
    ("nothing moved", self_attention(X), {}, (None, None)),
    ("one factor is moved", contract(Y, X, "c"), TOKENS, (None, σ)),
    ("delta beside a moved tensor", total(multiply(delta(N, "l", "i"), X), "i"), TOKENS, (σ, None)),
    ("delta under a function", total(multiply(exp(delta(N, "l", "i")), X), "i"), TOKENS,
     (σ, None)),
    ("delta first and last", add(delta(N, "i", "l"), B.rename({"j": "l"})),
     {leaf_of(B): (σ, None)}, (σ, σ)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("t", "moves", "motion"), [c[1:] for c in THROUGH], ids=[c[0] for c in THROUGH]
)
def test_push_derives_the_motion(t: Term, moves: Any, motion: Any) -> None:
    """A true equivariance would not be derived, or another one under its name."""
    if t is THROUGH[-1][1]:
        assert stuck(t, moves).tensor == "B"  # δ moves on both axes, B on one
        return
    assert done(t, moves).motion == motion


def test_nothing_permuted_is_reflexive() -> None:
    """With nothing moved the theorem would be about something else than t = t."""
    th = done(self_attention(X), {}).theorem
    assert th.lhs == th.rhs
    assert not th.hyps


STUCK: list[tuple[str, Term, Any, str, str]] = [
    ("an added position table", self_attention(add(X, E)), TOKENS, "E",
     "its axis over n is moved by nothing, not by sigma"),
    ("a mask that stays", multiply(B, contract(X, X.rename({"i": "j"}), "c")), TOKENS, "B",
     "its axis over n is moved by nothing, not by sigma"),
    ("keys that stay under moved values",
     attention(X, Y, tensor("V", j=M, r=D), "j", "c"), {Op("leaf", ("V", (M, D))): (ρ, None)},
     "Y", "what softmax of it yields is moved by nothing, not by rho"),
    ("a selected place", at(X, {"i": constant("q", N)()}), TOKENS, "sigma(q)",
     "sigma(q) is not known to be q"),
    ("the index as a number", multiply(X, iota(N, "i")), TOKENS, "iota over n", ""),
    ("an opaque that binds the moved axis", opaque("pool", {"i": "i"}, X, {"r": D}), TOKENS,
     "pool", "an axis that it binds is moved by sigma"),
    ("two motions", add(X, E), {leaf_of(X): (σ, None), leaf_of(E): (inverse(σ), None)}, "E",
     "moved by inverse(sigma), X by sigma"),
    ("a map that is no bijection", total(X, "i"), {leaf_of(X): (symbol("f", (N,), N), None)},
     "sum", "f is not a bijection"),
    ("a cat that stays", multiply(cat(X, E, "i"), cat(E, E, "i")), TOKENS, "E", ""),
    ("an opaque that stays", multiply(opaque("p", {}, tensor("c"), {"i": N}), X), TOKENS, "p",
     "what it yields is moved by nothing, not by sigma"),
    ("delta summed by itself", multiply(total(delta(N, "i", "l"), "l"), X), TOKENS,
     "delta over n", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("t", "moves", "tensor_name", "reason"), [c[1:] for c in STUCK], ids=[c[0] for c in STUCK]
)
def test_stuck_names_what_does_not_move(t: Term, moves: Any, tensor_name: str, reason: str) -> None:
    """A false equivariance would be derived, or the message would blame the wrong tensor."""
    where = stuck(t, moves)
    assert where.tensor == tensor_name, str(where)
    assert reason in where.reason
    assert str(where) == f"stuck at {where.tensor}: {where.reason}"


def test_a_fixed_table_goes_through_with_its_hypothesis() -> None:
    """PE = E would not help, or help without standing in the theorem."""
    t = self_attention(add(X, E))
    fact = fixed(E, i=σ)
    result = done(t, TOKENS, [fact])
    assert result.motion == (σ, None)
    assert result.theorem.hyps == fact.hyps != frozenset()
    stuck(t, TOKENS, [fixed(E, i=permutation("tau", N))])  # a fact about another permutation
    stuck(t, TOKENS, [fixed(tensor("F", i=N, c=D), i=σ)])  # and about another table


def test_a_fixed_mask_goes_through_with_its_hypothesis() -> None:
    """PMPᵀ = M would not help, or PM = M would be taken for it."""
    t = multiply(B, contract(X, X.rename({"i": "j"}), "c"))
    fact = fixed(B, i=σ, j=σ)
    assert done(t, TOKENS, [fact]).theorem.hyps == fact.hyps
    assert stuck(t, TOKENS, [fixed(B, i=σ)]).tensor == "B"


def test_a_fixed_place_goes_through_with_its_hypothesis() -> None:
    """σ(q) = q would not help, or the hypothesis would be lost."""
    q = constant("q", N)
    t = at(X, {"i": q()})
    number = iota(N, "i")
    fact = hyp(at(number, {"i": σ(q())}), at(number, {"i": q()}))
    result = done(t, TOKENS, [fact])
    assert result.motion == (None,)
    assert result.theorem.hyps == fact.hyps
    other = constant("p", N)
    stuck(t, TOKENS, [hyp(at(number, {"i": σ(other())}), at(number, {"i": other()}))])


def test_a_fact_about_what_is_moved_is_not_used() -> None:
    """PX = X would turn X′ into X on one side: not the statement that was asked for."""
    result = done(add(X, E), TOKENS, [fixed(X, i=σ), fixed(E, i=σ)])
    assert result.theorem.hyps == fixed(E, i=σ).hyps


def test_cat_moves_part_by_part() -> None:
    """A class token in front would move along with the tokens, or stop them."""
    t = cat(tensor("T", i=Set("1"), c=D), X, "i")
    beside = Map("beside", (Map("identity", (Set("1"),)), σ))
    assert done(t, TOKENS).motion == (beside, None)


def counted(monkeypatch: pytest.MonkeyPatch, rule: str) -> list[Any]:
    """The calls of a kernel rule from here on."""
    calls: list[Any] = []
    true = getattr(kernel, rule)

    def counting(*args: Any, **named: Any) -> Any:
        calls.append(args)
        return true(*args, **named)

    monkeypatch.setattr(kernel, rule, counting)
    return calls


def block(name: str) -> Op:
    """x + softmax-free mixing of tokens, as a definition of tokens and a weight."""
    w = tensor("w", c=D, k=D)
    mixed = contract(mean(X, "i"), w, "c").rename({"k": "c"})
    return define(name, [X, w], add(X, mixed))


def stack(depth: int, name: str) -> Term:
    """Blocks with weights of their own."""
    t = X
    for layer in range(depth):
        w = tensor(f"w{layer}", c=D, k=D)
        t = call(block(name), [t, w], [["i", "c"], ["c", "k"]], ["i", "c"])
    return t


def test_a_definition_is_pushed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every application would be derived anew, and a deep stack would take its square."""
    unfolded, instances = counted(monkeypatch, "unfold"), counted(monkeypatch, "inst")
    t = stack(20, "pushed once")
    assert done(t, TOKENS).motion == (σ, None)
    assert len(unfolded) == 1
    assert len(instances) == 21  # the formals moved, and once for each block
    done(stack(21, "pushed once"), TOKENS)
    assert len(unfolded) == 1
    done(stack(2, "pushed once"), {leaf_of(X): (inverse(σ), None)})
    assert len(unfolded) == 2  # another motion is another lemma


@pytest.mark.usefixtures("small_stack")
@pytest.mark.parametrize("least", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_depth_is_no_limit_and_work_is_linear(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """240 levels would exceed the recursion limit, or take more than twice the work of 120."""
    count = counted(monkeypatch, "_issue")
    work = []
    for depth in (least, 2 * least, 4 * least):
        t = X
        for _ in range(depth):
            t = exp(t)
        count.clear()
        assert done(t, TOKENS).motion == (σ, None)
        work.append(len(count))
    assert work[2] - work[1] == 2 * (work[1] - work[0])
    assert work[2] > 4 * least


@pytest.mark.parametrize("blocks", [40, pytest.param(100, marks=pytest.mark.slow)])
def test_many_blocks(blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deep model would exceed the recursion limit, or its derivation would not be linear."""
    done(stack(1, "deep"), TOKENS)
    count = counted(monkeypatch, "_issue")
    work = []
    for depth in (blocks, 2 * blocks, 3 * blocks):
        count.clear()
        done(stack(depth, "deep"), TOKENS)
        work.append(len(count))
    assert work[2] - work[1] == work[1] - work[0] > 0


def test_lemmas_of_different_bodies_are_kept_apart() -> None:
    """A definition would be known by its name: another body would inherit its symmetry."""
    good = define("layer", [X], add(X, mean(X, "i")))
    bad = define("layer", [X], multiply(X, iota(N, "i")))
    for d, ends in ((good, Pushed), (bad, Stuck)):
        t = call(d, [X], [["i", "c"]], ["i", "c"])
        assert isinstance(push(t, TOKENS), ends)


def test_facts_are_part_of_what_a_lemma_knows() -> None:
    """What was derived from a fact would be used again where the fact was not given."""
    d = define("selects", [X], at(X, {"i": constant("q", N)()}))
    t = call(d, [X], [["i", "c"]], ["c"])
    number, q = iota(N, "i"), constant("q", N)
    fact = hyp(at(number, {"i": σ(q())}), at(number, {"i": q()}))
    assert done(t, TOKENS, [fact]).theorem.hyps == fact.hyps
    stuck(t, TOKENS)


def test_a_fact_is_not_about_a_formal_of_the_same_name() -> None:
    """PE = E of a table would be used of whatever a definition calls E: a hypothesis unasked."""
    d = define("plus", [X, E], add(X, E))
    fact = fixed(E, i=σ)
    other = call(d, [X, tensor("F", i=N, c=D)], [["i", "c"], ["i", "c"]], ["i", "c"])
    assert stuck(other, TOKENS, [fact]).tensor == "F"
    same = call(d, [X, E], [["i", "c"], ["i", "c"]], ["i", "c"])
    assert done(same, TOKENS, [fact]).theorem.hyps == fact.hyps
    assert stuck(same, TOKENS).tensor == "E"


BATCH = Set("b")
TABLE = tensor("M", i=N, j=N)


def masked(inner: bool) -> Op:
    """Masked attention with a residual, its mask a formal; or a block that calls one with it."""
    mask, memory = tensor("mask", i=N, j=N), X.rename({"i": "j"})
    weights = softmax(add(contract(X, memory, "c"), mask), "j")
    d = define("masked", [X, mask], add(X, contract(weights, memory, "j")))
    if not inner:
        return d
    head = call(d, [X, mask], [["i", "c"], ["i", "j"]], ["i", "c"])
    return define("block", [mask, X], exp(head))


def masked_stack(masks: list[Term], *, inner: bool = False) -> Term:
    """Layers of masked blocks, each with the mask given for it."""
    t = X
    for mask in masks:
        parts = [(t, ["i", "c"]), (mask, ["i", "j"])][:: -1 if inner else 1]
        t = call(masked(inner), *zip(*parts, strict=True), ["i", "c"])  # type: ignore[arg-type]
    return t


@pytest.mark.parametrize("inner", [False, True], ids=["blocks", "blocks of blocks"])
def test_a_fact_reaches_into_a_definition(inner: bool) -> None:
    """PMPᵀ = M would not help where the mask is handed to a block, or help without standing in
    the theorem; without it the message would name the formal, or the wrong mask."""
    fact = fixed(TABLE, i=σ, j=σ)
    t = masked_stack([TABLE] * 3, inner=inner)
    result = done(t, TOKENS, [fact])
    assert result.motion == (σ, None)
    assert result.theorem.hyps == fact.hyps != frozenset()
    assert stuck(t, TOKENS).tensor == "M"
    assert stuck(t, TOKENS, [fixed(TABLE, i=σ)]).tensor == "M"  # another fact about M
    other = tensor("L", i=N, j=N)
    two = masked_stack([TABLE, other, TABLE], inner=inner)
    assert stuck(two, TOKENS, [fact]).tensor == "L"
    both = [fact, fixed(other, i=σ, j=σ)]
    assert done(two, TOKENS, both).theorem.hyps == both[0].hyps | both[1].hyps


def test_an_argument_is_asked_for_what_a_definition_assumes() -> None:
    """Only a mask that is a tensor by itself would pass, not one that moves along, one that is
    derived from a fact, one that is proved to stay, or one with a batch axis of its own."""
    fact, tokens = fixed(TABLE, i=σ, j=σ), [["i", "c"], ["i", "j"]]
    layer = masked(False)

    def apply(mask: Term) -> Term:
        return call(layer, [X, mask], tokens, ["i", "c"])

    assert done(apply(exp(TABLE)), TOKENS, [fact]).theorem.hyps == fact.hyps
    along = TOKENS | {leaf_of(TABLE): (σ, σ)}
    assert not done(apply(TABLE), along).theorem.hyps
    turned = apply(TABLE.rename({"i": "j", "j": "i"}))
    assert done(turned, TOKENS, [fact]).theorem.hyps == fact.hyps
    assert not done(apply(delta(N, "i", "j")), TOKENS).theorem.hyps
    assert stuck(apply(exp(TABLE)), TOKENS).tensor == "M"
    gram = contract(E, E.rename({"i": "j"}), "c")
    assert stuck(apply(gram), TOKENS).tensor == "E"
    table = fixed(E, i=σ)
    assert done(apply(gram), TOKENS, [table]).theorem.hyps == table.hyps
    batch, β = tensor("G", i=N, j=N, b=BATCH), permutation("beta", BATCH)
    for moves in (TOKENS, TOKENS | {leaf_of(batch): (None, None, β)}):
        moved_on = {"b": β} if len(moves) == 2 else {}
        assert stuck(apply(batch), moves).tensor == "G"
        if not moved_on:
            same = fixed(batch, i=σ, j=σ)
            assert done(apply(batch), moves, [same]).theorem.hyps == same.hyps
    x_b = tensor("Z", i=N, c=D, b=BATCH)  # the batch moves with the tokens, by two hypotheses
    whole = call(layer, [x_b, batch], tokens, ["i", "c"])
    facts = [fixed(batch, b=β), fixed(batch, i=σ, j=σ, b=β)]
    result = done(whole, {leaf_of(x_b): (σ, None, β)}, facts)
    assert result.theorem.hyps == facts[0].hyps | facts[1].hyps


def test_one_argument_for_two_formals_of_a_definition() -> None:
    """The same hypothesis would be discharged twice, which the kernel refuses."""
    d = define("twice", [X, E, tensor("F", i=N, c=D)], add(add(X, E), tensor("F", i=N, c=D)))
    t = call(d, [X, E, E], [["i", "c"]] * 3, ["i", "c"])
    fact = fixed(E, i=σ)
    assert done(t, TOKENS, [fact]).theorem.hyps == fact.hyps


def test_masked_blocks_share_one_lemma(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every mask would have its block derived anew: a deep masked model would be slow."""
    masks = [tensor(f"M{k}", i=N, j=N) for k in range(6)]
    facts = [fixed(mask, i=σ, j=σ) for mask in masks]
    unfolded = counted(monkeypatch, "unfold")
    tactic._lemmas.clear()
    hyps = done(masked_stack(masks), TOKENS, facts).theorem.hyps
    assert len(hyps) == 6
    assert len(unfolded) == 2  # the block, and the softmax in it


def test_a_forged_fact_is_refused() -> None:
    """Something that the kernel did not issue would be believed."""
    true = fixed(E, i=σ)
    forged = kernel.Theorem(frozenset(), true.lhs, true.rhs, "perm", "hyp", ())
    with pytest.raises(ShapeError):
        push(add(X, E), TOKENS, [forged])


def test_names_in_messages() -> None:
    """A message would show the inside of an object instead of a name."""
    a = Map("beside", (Map("identity", (Set("1"),)), inverse(σ)))
    assert names.name_of(a) == "beside(identity(1), inverse(sigma))"
    assert names.set_name(Set("+", (Set("1"), N))) == "1+n"
    assert [names.node_name(t.node) for t in (X, moved(X, i=σ), iota(N, "i"))] == [
        "X", "X", "iota over n",
    ]  # fmt: skip
    assert names.node_name(cat(X, X, "i").node) == "cat"
    assert names.node_name(pointwise("exp", X).node) == "exp"


def test_a_cat_of_a_part_without_its_axis_is_stuck() -> None:
    """A class token written without an axis of its own would end in an error of ours."""
    t = build(Op("cat", (Set("1"), N)), [tensor("t", c=D), X], [["i"], ["i"]], ["i"])
    assert stuck(t, TOKENS).tensor == "cat"


# -------------------------------------------------------------------------------- mistakes of users
USED, OTHER = tensor("X", i=N, k=D), tensor("Y", i=N)
SWAP = permutation("σ", N)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        ({USED: (SWAP, None)}, "given <Term i,k: X>, expected a tensor, as leaf_of(X) gives it"),
        ({"X": (SWAP, None)}, "given 'X', expected a tensor"),
        ({leaf_of(OTHER): (SWAP,)}, "given Y, expected one of X"),
        ({leaf_of(USED): SWAP}, "moves of X: given σ, expected a tuple of 2: a map or None"),
        ({leaf_of(USED): (SWAP,)}, "moves of X: given σ, expected a tuple of 2"),
        ({leaf_of(USED): (None, SWAP)}, "moves of X: given σ into n, expected a map into d"),
    ],
)
def test_moves_that_fit_nothing(moves: Any, message: str) -> None:
    """A push of nothing would prove X = X, and look as if X had moved."""
    with pytest.raises(ShapeError) as caught:
        push(USED, moves)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_moves_of_more_than_the_term() -> None:
    """A list of moves for many terms could not be used for one that has some of the tensors."""
    moves = {leaf_of(USED): (SWAP, None), leaf_of(OTHER): (SWAP,)}
    pushed = push(total(USED, "i"), moves)
    assert isinstance(pushed, Pushed) and pushed.theorem.lhs != pushed.theorem.rhs
    assert "\n" not in repr(pushed) and len(repr(pushed)) < 400


@pytest.mark.parametrize(
    ("axes", "message"),
    [
        (("i", "k", "i", "k"), "queries: given axes ('i', 'k'), expected none called 'i'"),
        (("i", "c", "j", "k"), "queries: given axes ('i', 'c'), expected 'k' too"),
        (("a", "k", "i", "c"), "keys: given axes ('i', 'c'), expected 'k' too"),
    ],
)
def test_attention_over_other_axes(axes: tuple[str, ...], message: str) -> None:
    """Queries over the axis of the keys would meet each its own key alone: no attention."""
    query, feature, key, other = axes
    queries = tensor("Q", **{query: N, feature: D})
    keys = tensor("K", **{key: N, other: D})
    memory = "j" if key == "j" else "i"
    with pytest.raises(ShapeError) as caught:
        attention(queries, keys, keys, memory, "k")
    assert str(caught.value).startswith("attention: ") and message in str(caught.value)


def test_attention_of_values_elsewhere() -> None:
    """Values over another axis than the keys would be summed as if they stood beside them."""
    keys = USED.rename({"i": "j"})
    with pytest.raises(ShapeError, match=r"values: given axes .* expected 'j' too"):
        attention(USED, keys, USED, "j", "k")
    assert attention(USED, keys, keys, "j", "k").axes == ("i", "k")
