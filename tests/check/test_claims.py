"""Claims: how they are made from derivations, and how their statements are printed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orderproof.check.claims import (
    Atom,
    Check,
    Claim,
    Maker,
    Marks,
    StuckError,
    differs,
    equality,
    equivariance,
    nearby,
    pushing,
    sides,
    sizes,
    transposed,
)
from orderproof.check.marks import numeric
from orderproof.check.prove import checking
from orderproof.check.prove.checking import run
from orderproof.proofs.added_and_biases.score_bias import BIAS
from orderproof.proofs.symbols import (
    SELF,
    TOKENS,
    Attention,
    X,
    as_keys,
    d,
    m,
    n,
    show,
    sigma,
)
from orderproof.publish.pages.definitions import where
from orderproof.publish.pages.statements import given, stated, statement
from orderproof.symbolic.derive.push import fixed, refl
from orderproof.symbolic.models.builders import add, image, inverse, leaf_of, moved, number, tensor
from orderproof.symbolic.statements.statement import Sizes, of_theorem
from tests.judged import answering, claiming, loaded, toy

E = tensor("E", i=n, c=d)
x = tensor("x", i=n)


def test_a_push_that_proves_nothing_is_not_the_claim() -> None:
    """A tactic that returns t = t would make every theorem of the book "proved"."""
    claim = equality(*sides(SELF.Z, TOKENS, {"i": sigma}), refl(SELF.Z), {})
    assert run(claim.marks["kernel"], "kernel", claim).ok is False


def test_each_claim_states_its_own_sizes_and_quantifier() -> None:
    """The quantifiers of one claim would be printed for another, weaker or of the other kind."""
    theorem = loaded("not_cross_attention_of_keys_alone")
    first, second = theorem.claims
    own = first.statement.sizes
    wider = first.stating(sizes=Sizes(frozenset({(m, 5)}), own.of, own.among))
    both = claiming(theorem, wider, second)
    assert "m ≥" not in given(both).plain and "m ≥ 2" in given(theorem).plain
    assert [stated(c, both).plain[:7] for c in both.claims] == ["m ≥ 5: ", "m ≥ 2: "]
    equal = loaded("cross_attention_equivariant").claims[0]
    mixed = claiming(theorem, first, equal)
    assert "∃" in given(theorem).plain and "∃" not in given(mixed).plain
    assert "∃ " in stated(first, mixed).plain and "∃" not in stated(equal, mixed).plain


def test_sizes_that_are_listed_together_are_printed_so() -> None:
    """(2, 1) and (3, 2) would be printed as n ∈ {2, 3}, d ∈ {1, 2}."""
    theorem = loaded("qkv_equivariant")
    joint = Sizes(of=(n, d), among=frozenset({(2, 1), (3, 2)}))
    claim = toy(sizes=joint)
    mixed = claiming(theorem, claim, theorem.claims[0])
    assert stated(claim, mixed).plain.startswith("(n, d) ∈ {(2, 1), (3, 2)}: ")
    full = toy(sizes=sizes(among={n: (2, 3), d: (1, 2)}))
    mixed = claiming(theorem, full, theorem.claims[0])
    assert stated(full, mixed).plain.startswith("d ∈ {1, 2}, n ∈ {2, 3}: ")


def test_what_is_quantified_alike_stands_together() -> None:
    """A statement would be long where it repeats itself, or one shape would be printed for tensors
    of several."""
    theorem = loaded("two_causal_layers_see_order")
    assert re.search(r"d(_k)? = d(_k)? = 1,", given(theorem).plain)
    assert re.search(r"(W_Q, W_K|W_K, W_Q) ∈ ℝ\^\(d×d_k\), ", given(theorem).plain)
    one = loaded("causal_last_token_invariant")
    assert r"g \in \mathbb{R}^{n \times (n+1)}" in given(one).latex
    of = theorem.claims[0].statement.sizes.of
    cases = {tuple({d: 2, n: k}.get(s, 1) for s in of) for k in (2, 3, 4, 5, 6, 7)}
    apart = theorem.claims[0].stating(sizes=Sizes(of=of, among=frozenset(cases)))
    printed = given(claiming(theorem, apart, apart)).plain
    assert "d = 2, " in printed and "d_k = 1, " in printed
    assert "n ∈ {2, 3, 4, 5, 6, 7}, " in printed


def test_tensors_that_exist_are_listed() -> None:
    """A claim that there are such tensors would lose some, or have those that are given."""
    short = loaded("not_equivariant_of_rotary_positions")
    names = re.search("∃ (.*): Z′ ≠ P Z", stated(short.claims[-2], short).plain)
    assert names and {*names[1].split(", ")} == {"X", "W_Q", "W_K", "W_V", "σ"}  # R is given


def test_a_hypothesis_is_printed_as_it_is_checked() -> None:
    """A table would be printed transposed, without its indices, or a condition on some entries as
    one on all."""
    biases = loaded("not_equivariant_of_score_bias")
    printed = [stated(c, biases).plain for c in biases.claims]
    assert any("G[i, j] = [j ≤ i], " in p for p in printed) and not any("Gᵀ" in p for p in printed)
    outside = statement(toy(given=frozenset({BIAS.kept.opposite()})), show().style()).plain
    assert outside.startswith("G[σ(i), σ(j)] / (max_l G[σ(i), l]) ≠ G[i, j] / (max_l G[i, l])")
    assert outside.endswith(" for some i and j  ⇒  X = X")
    less = Atom(x, "<", number(0))
    for a, some in ((less, False), (replace(less, some=True), True)):
        told = statement(toy(given=frozenset({a})), show().style()).plain
        assert (" for some i  ⇒  " in told) is some


def test_what_a_hypothesis_names_is_explained() -> None:
    """A reader would not find what a tensor of a hypothesis stands for."""
    biases = loaded("score_bias_iff")
    only = claiming(biases, biases.claims[1])  # S stands in its hypothesis
    assert any(w.plain.startswith("S = Q Kᵀ") for w in where(only))
    weights = loaded("two_causal_layers_see_order")
    told = [w.plain for w in where(weights)]
    assert "an index that is used as a number counts from 0" in told
    assert not any("counts from" in w.plain for w in where(loaded("qkv_equivariant")))


def test_pushing_says_where_it_is_stuck() -> None:
    """A derivation that does not go through would be used, or would not name the tensor."""
    with_table = Attention(add(X, E), as_keys(add(X, E)))
    with pytest.raises(StuckError, match="stuck at E: "):
        pushing(with_table.Z, TOKENS)
    assert pushing(with_table.Z, TOKENS, [fixed(E, i=sigma)]).theorem.hyps


def test_equivariance_is_pushed() -> None:
    """A claim would be made without the push that proves it, or without the facts that this needs,
    or a claim that was never pushed would pass for one that was."""
    claim = equivariance(SELF.Z, TOKENS, {"i": sigma}, {})
    assert (claim.lhs, claim.rhs) == sides(SELF.Z, TOKENS, {"i": sigma})
    assert claim.pushed.theorem.lhs.node is claim.lhs.node
    with pytest.raises(StuckError, match="stuck at E: "):
        equivariance(add(X, E), TOKENS, {"i": sigma}, {})
    assert equivariance(add(X, E), TOKENS, {"i": sigma}, {}, facts=[fixed(E, i=sigma)]).pushed
    with pytest.raises(StuckError, match="given a claim that is not pushed"):
        _ = toy().pushed


def test_equality_takes_its_hypotheses_from_the_theorem() -> None:
    """A claim would be stated without a hypothesis that its theorem needs."""
    H = add(X, E)
    pushed = pushing(H, TOKENS, [fixed(E, i=sigma)])
    claim = equality(image(H, TOKENS), moved(H, i=sigma), pushed.theorem, {}, row="i", column="c")
    assert claim.statement.given == of_theorem(pushed.theorem).given != frozenset()
    style = show().style()
    assert statement(claim, style).plain.startswith("P E = E  ⇒  ")
    bare = claim.stating(given=frozenset())
    assert "⇒" not in statement(bare, style).plain
    assert run(claim.marks["kernel"], "kernel", claim).settles
    assert run(claim.marks["kernel"], "kernel", bare).ok is False


@pytest.mark.parametrize(("relation", "latex"), [("=", " = "), ("≠", r" \neq ")])
def test_statement_prints_the_two_terms(relation: str, latex: str) -> None:
    """The statement on the page would not be the one that is checked."""
    claim = replace(toy(lhs=moved(X, i=sigma), relation=relation, some=relation == "≠"),
                    row="i", column="c")  # fmt: skip
    printed = statement(claim, show().style())
    assert printed.plain == f"P X {relation} X" and printed.latex == rf"P\,X{latex}X"
    assert statement(claim.stating(lhs=X), show().style()) != printed
    less = statement(claim.stating(relation="<", some=False), show().style())
    assert less.plain == "X[σ(i), c] < X[i, c]"


def test_exists_is_printed_only_if_all_claims_are_of_existence() -> None:
    """The quantifiers would promise a witness where the claim is about all, or the reverse."""
    theorem = loaded("not_invariant_self_attention")
    claim = replace(theorem.claims[0], marks={"exact": answering(True)})
    every = claim.stating(exists=frozenset())

    def quantifiers(*claims: Claim) -> str:
        return checking.check(claiming(theorem, *claims)).given.plain

    assert "∃" in quantifiers(claim) and "∃" in quantifiers(claim, claim)
    assert "∃" not in quantifiers(every) and "∃" not in quantifiers(claim, every)
    assert "∃ X, " in checking.check(claiming(theorem, claim, every)).claims[0].statement.plain


def test_nearby_changes_one_place() -> None:
    """The planted falsehood would differ from the claim in more than what is named."""
    claim = replace(toy(), marks={"toy": answering(True)}, row="i")
    false = nearby(claim, "moved", rhs=moved(X, i=sigma))
    assert false.claim.stating(rhs=X) == claim and false.claim != claim
    assert false.reason == "moved" and leaf_of(claim.rhs) == leaf_of(X)
    there = differs(moved(X, i=sigma), X, {}, every={leaf_of(X)})
    assert nearby(there, "a tensor more", rhs=E).claim.statement.exists == {sigma, leaf_of(E)}


# ------------------------------------------------------------------------------- marks as data
def test_a_mark_that_cannot_be_made_is_not_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mark whose maker breaks down would be left out, and its certificates with it."""

    def breaks_down() -> Check:
        return {}["nothing"]

    monkeypatch.setattr(numeric, "breaks_down", breaks_down, raising=False)
    makers: tuple[tuple[Maker, type[Exception]], ...] = (
        (Maker("smt", "nothing"), AttributeError),
        (Maker("nothing", "by_chain"), ImportError),
        (
            Maker("numeric", "breaks_down"),
            KeyError,
        ),  # which a mapping takes for "none of this name"
    )
    for maker, error in makers:
        claim = replace(toy(), marks={"smt": maker})
        assert "smt" in claim.marks and claim.declared() == ("smt",)
        for look in (claim.marks.get, claim.marks.__getitem__):
            with pytest.raises(error):
                look("smt")
        with pytest.raises(error):
            checking.check(claiming(loaded("sum_act"), claim))


def test_a_mark_is_made_once_and_only_when_it_is_looked_up() -> None:
    """A theorem would be printed only after every mark is loaded, or a mark be made twice."""
    marks = Marks({"toy": answering(True), "numeric": Maker("numeric", "by_numpy")})
    assert [*marks] == ["toy", "numeric"] and "sympy" not in marks and marks.get("sympy") is None
    assert marks["numeric"] is marks["numeric"] and callable(marks["numeric"])
    assert marks == Marks(marks.data) and marks != Marks({})


def test_an_invariance_has_no_transposed_falsehood() -> None:
    """The claim itself would be planted as the falsehood beside it."""
    invariant = loaded("pooling_invariant").claims[0]
    with pytest.raises(StuckError, match="given an invariance"):
        transposed(invariant)
    with pytest.raises(StuckError, match="not pushed"):
        transposed(toy())
    equivariant = loaded("self_attention_equivariant").claims[0]
    false = transposed(equivariant).claim
    assert false.rhs == moved(SELF.Z, i=inverse(sigma)) and false.marks is equivariant.marks
    assert equivariant.rocq and not false.rocq  # what Rocq states is the true one
