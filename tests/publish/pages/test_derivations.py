"""The lines of a theorem's file are those of its derivation: a wrong one is refused, with its
number."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orderproof.check.claims import StuckError
from orderproof.check.prove import checking
from orderproof.proofs.symbols import X, n, sigma
from orderproof.publish.pages.derivations import derivations, in_lines, reason
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.derive.steps import operator
from orderproof.symbolic.models.builders import contract, tensor
from tests.judged import loaded

MODEL = loaded("self_attention_equivariant")
TEXT = MODEL.derivation.strip()
LINES = TEXT.splitlines()


def test_lines_of_the_model() -> None:
    """The file that is the model for all others would not be accepted, so that nothing is shown by
    the refusal of its changed lines."""
    assert derivations(MODEL) and len(in_lines(derivations(MODEL))) == 24
    assert derivations(replace(MODEL, derivation=TEXT))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("= P (X W_Q)", "= Pᵀ (X W_Q)", "line 2 of its derivation: given = Pᵀ (X W_Q)  (A B) C = A "
         "(B C), expected = P (X W_Q)  (A B) C = A (B C)"),
        ("K′ =", "V′ =", "line 4 of its derivation: given V′ = (P X) W_K"),
        ("Pᵀ P = I", "P Pᵀ = I", "line 22 of its derivation"),
        (LINES[1], "", "line 2 of its derivation: given = P Q"),
        (LINES[-1], "", "line 24 of its derivation: given no line, expected"),
        (LINES[-1], f"{LINES[-1]}\n= Z  by definition",
         "line 25 of its derivation: given = Z  by definition, expected no line"),
        (TEXT, "", "line 1 of its derivation: given no line"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_refused(old: str, new: str, said: str) -> None:
    """A theorem's file would show a derivation that is not the one that was checked."""
    assert old in TEXT
    wrong = replace(MODEL, derivation=TEXT.replace(old, new, 1))
    with pytest.raises(StuckError, match=f"^self_attention_equivariant: {re.escape(said)}"):
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


def test_the_operator_of_a_step_turned_round() -> None:
    """A reason would name another operator than the one that P passes through, read backwards."""
    product = contract(tensor("W", i=n, j=n), X.rename({"i": "j"}), "j")
    assert operator(kernel.sym(kernel.at_op(product, {"i": sigma("i")}))) == "product"


def plain(*names: str) -> str:
    """A reason as plain text."""
    cited = {"Q": ("Q′ = P Q",)}
    words = (x if isinstance(x, str) else x.plain for x in reason(names, cited, "own_theorem"))
    return "".join(words)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("at_op reduce sum",), "P A + P B = P (A + B)"), (("at_op reduce max",), "entry by entry"),
        (("Q", "at_op pointwise add"), "Q′ = P Q"),  # what is cited does the work
        (("reindex", "reindex max"), "sum_act"), (("own_theorem",), "shown above"),
        (("softmax", "hyp"), "softmax_conjugate; by hypothesis"),
    ],
)  # fmt: skip
def test_reasons_are_those_of_a_textbook(names: tuple[str, ...], said: str) -> None:
    """A line would be justified by the law of another operator, twice by the same one, or by the
    theorem that it proves."""
    assert plain(*names) == said


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
