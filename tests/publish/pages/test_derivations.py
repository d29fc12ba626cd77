"""The lines of a theorem's file are those of its derivation: a wrong one is refused, with its
number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from orderproof.check.claims import StuckError
from orderproof.check.prove import checking
from orderproof.proofs.symbols import X, d, n, sigma
from orderproof.publish.pages.derivations import derivations, in_lines, reason
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.derive.steps import operator
from orderproof.symbolic.models.attention import softmax
from orderproof.symbolic.models.builders import add, contract, exp, opaque, reduce, tensor, total
from tests.judged import loaded

MODEL = loaded("self_attention_equivariant")
LINES = MODEL.derivation.strip().splitlines()
Change = Callable[[list[str]], list[str]]


def at(k: int, old: str, new: str) -> Change:
    """The lines with one of them, counted from 1 with blank ones, changed."""

    def change(lines: list[str]) -> list[str]:
        assert old in lines[k - 1]
        return [*lines[: k - 1], lines[k - 1].replace(old, new), *lines[k:]]

    return change


PLANTED: dict[str, tuple[Change, str]] = {
    "a wrong formula": (
        at(2, "P (X W_Q)", "Pᵀ (X W_Q)"),
        "line 2 of its derivation: given = Pᵀ (X W_Q)  (A B) C = A (B C), "
        "expected = P (X W_Q)  (A B) C = A (B C)",
    ),
    "a wrong left side": (at(5, "K′", "V′"), "line 4 of its derivation: given V′ = (P X) W_K"),
    "a wrong reason": (
        at(2, "(A B) C = A (B C)", "by definition"),
        "line 2 of its derivation: given = P (X W_Q)  by definition, expected",
    ),
    "a lemma that was not used": (at(27, "Pᵀ P = I", "P Pᵀ = I"), "line 22 of its derivation"),
    "a missing line": (lambda x: [*x[:1], *x[2:]], "line 2 of its derivation: given = P Q"),
    "a missing last line": (lambda x: x[:-1], "line 24 of its derivation: given no line, expected"),
    "a line too many": (
        lambda x: [*x, "= Z  by definition"],
        "line 25 of its derivation: given = Z  by definition, expected no line",
    ),
    "two lines swapped": (lambda x: [x[0], x[2], x[1], *x[3:]], "line 2 of its derivation"),
    "two sections swapped": (lambda x: [*x[4:8], *x[:4], *x[8:]], "line 1 of its derivation"),
    "no reason": (at(3, "by definition", ""), "line 3 of its derivation: given = P Q"),
    "no lines": (lambda x: [], "line 1 of its derivation: given no line"),
}


def test_lines_of_the_model() -> None:
    """The file that is the model for all others would not be accepted, so that nothing is shown by
    the refusal of its changed lines."""
    assert derivations(MODEL) and len(in_lines(derivations(MODEL))) == 24
    assert derivations(replace(MODEL, derivation="\n".join(LINES)))


@pytest.mark.parametrize("what", PLANTED)
def test_a_wrong_line_is_refused(what: str) -> None:
    """A theorem's file would show a derivation that is not the one that was checked."""
    change, message = PLANTED[what]
    wrong = replace(MODEL, derivation="\n".join(change(LINES)))
    with pytest.raises(StuckError, match=f"^self_attention_equivariant: {re.escape(message)}"):
        checking.check(wrong)


def test_lines_where_nothing_is_derived_are_refused() -> None:
    """Lines could stand in a file whose claims no derivation of the kernel proves."""
    other = replace(loaded("not_invariant_self_attention"), derivation="Z′ = P Z  by definition")
    with pytest.raises(StuckError, match="expected no line"):
        derivations(other)


def test_a_long_line_has_its_reason_below() -> None:
    """A line whose reason stands on the next one would be read as two lines, or be refused."""
    below = [re.sub(r"   +(?=\S+ .*)", "\n    ", line.strip()) for line in LINES]
    assert derivations(replace(MODEL, derivation="\n".join(below)))


def test_operators_of_steps() -> None:
    """A reason would name another operator than the one that P passes through."""
    X_j, W = X.rename({"i": "j"}), tensor("W", i=n, j=n)
    product, added = contract(W, X_j, "j"), total(W, "j")
    found = [
        operator(kernel.at_op(t, {"i": sigma("i")}))
        for t in (product, added, reduce("max", W, "j"), exp(X), softmax(W, "j"),
                  opaque("f", {"c": "c"}, X, {"h": n}), add(X, exp(X)), add(X, tensor("b", c=d)))
    ]  # fmt: skip
    assert found == ["product", "reduce sum", "reduce max", "pointwise exp", "apply softmax",
                     "opaque f", "pointwise add", "sum with a row"]  # fmt: skip
    assert operator(kernel.sym(kernel.at_op(product, {"i": sigma("i")}))) == "product"


def plain(*names: str) -> str:
    """A reason as plain text."""
    cited = {"Q": ("Q′ = P Q",)}
    words = (x if isinstance(x, str) else x.plain for x in reason(names, cited, "own_theorem"))
    return "".join(words)


def test_reasons_are_those_of_a_textbook() -> None:
    """A line would be justified by the law of another operator, twice by the same one, or by the
    theorem that it proves."""
    assert plain("at_op pointwise mul", "at_op product") == "(A B) C = A (B C)"
    assert plain("at_op reduce sum") == plain("at_op pointwise add") == "P A + P B = P (A + B)"
    assert plain("at_op sum with a row") == "P 1 = 1"
    assert plain("at_op pointwise div") == plain("at_op reduce max") == "entry by entry"
    assert plain("at_op apply LayerNorm") == "LayerNorm acts on each row"
    assert plain("Q", "at_op pointwise add") == "Q′ = P Q"  # what is cited does the work
    assert plain("at_op pointwise mul", "reindex") == "sum_act"
    assert plain("reindex", "reindex max") == "sum_act"
    assert plain("own_theorem") == "shown above"
    assert plain("softmax", "hyp") == "softmax_conjugate; by hypothesis"


def test_a_reason_that_is_given_by_hand_names_what_is_used() -> None:
    """A line would be justified by a theorem that does not exist, that the file does not use, or by
    one of several that its step needs."""
    bag = loaded("bag_of_words")
    for other in ("no_such_theorem", "softmax_row_stochastic"):
        text = bag.derivation.replace("self_attention_equivariant", other)
        with pytest.raises(StuckError, match=f"cited {other}, expected one of its uses"):
            derivations(replace(bag, cited={"Z": other}, derivation=text))
    last = loaded("causal_last_token_invariant")
    assert derivations(last)
    for said in ("sum_act", "softmax_conjugate", "by hypothesis", "Z′ = P Z (no_such_theorem)"):
        names = {th: said if "sum_act" in old else old for th, old in last.lemmas.items()}
        text = last.derivation.replace("softmax_conjugate; sum_act", said)
        with pytest.raises(StuckError, match="expected softmax_conjugate; sum_act"):
            derivations(replace(last, lemmas=names, derivation=text))
