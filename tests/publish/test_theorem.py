"""A theorem as blocks: nothing that it states or assumes is lost, and its proof is printed."""

from __future__ import annotations

import re
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.page import ClaimPage, Formula, Mark, TheoremPage
from orderproof.check.prove.unchecked import unchecked
from orderproof.check.rocq.library import SOURCES
from orderproof.check.rocq.run import RocqError
from orderproof.proofs import catalogue
from orderproof.publish import formulas, theorem, to_text, witness
from orderproof.publish.chapters import texts
from orderproof.publish.model import Code, Display, Link, Paragraph, TheoremRef, anchor
from orderproof.publish.theorem import (
    BadSlot,
    ProofSlots,
    assumed,
    assumptions,
    claimed,
    definition,
    statement,
    where,
)
from tests.judged import loaded

documents = cache(lambda: unchecked(loaded("documents_in_parallel")))
ARROW, COMMA, COLON = r" \;\Rightarrow\; ", r",\; ", r"\colon\; "


def claim(latex: str) -> ClaimPage:
    """A claim that says this."""
    return ClaimPage(Formula(latex, ""), "equality", "all n", "proved", "proved", ())


def page(name: str, *where_: str) -> TheoremPage:
    """A theorem with one claim and these definitions."""
    given = Formula(r"\forall\; n", "∀ n")
    told = tuple(Formula(text, text) for text in where_)
    found = replace(claim("Z = Z"), statement=Formula("Z = Z", "Z = Z"))
    return TheoremPage(name, name, (), "", (), given, told, (), (found,), None)


# ------------------------------------------------------------------------------ what is stated
A1, PRIMED = (rf"0 < \sum_{{j}} {g}_{{ij}},\; 0 \leq {g}_{{ij}}" for g in ("G", "G'"))


@pytest.mark.parametrize(
    ("given", "left", "made"),
    [
        (A1, "", ["A1"]),
        (rf"{A1},\; a", "a", ["A1"]),
        (rf"n \geq 1\colon\; {A1},\; a", r"n \geq 1\colon\; a", ["A1"]),
        (rf"0 < \varepsilon,\; {A1}", "", ["A1", "A2"]),
        (rf"{A1},\; {PRIMED}", PRIMED, ["A1"]),
        (PRIMED, PRIMED, []),  # of another mask alone
        (r"0 \leq G_{ij},\; a", r"0 \leq G_{ij},\; a", []),  # one half of it
    ],
)
def test_a_standing_assumption_is_left_out_whole(given: str, left: str, made: list[str]) -> None:
    """A claim would be printed under half of its hypotheses, or without the number of the rest."""
    found = claim(f"{given}{ARROW}x = y")
    assert list(assumed(found)) == made
    (shown,) = claimed([("", found)], standing=True)
    assert isinstance(shown, Display)
    assert shown.formulas[0][1].latex == (f"{left}{ARROW}x = y" if left else "x = y")
    assert claimed([("", found)]) == [Display((("", found.statement),))]
    words = [x for b in statement(replace(page("x"), claims=(found,)))
             if isinstance(b, Paragraph) for x in b.words]  # fmt: skip
    said = [x.text for x in words if isinstance(x, Link)]
    assert said == [f"({name})" for name in made]


def test_each_hypothesis_is_printed_or_assumed() -> None:
    """A theorem of a chapter would be printed without one of its hypotheses."""
    for p in map(unchecked, map(catalogue.load, catalogue.IDS)):
        for c in (c for c in p.claims if not c.headline):
            before, _, says = c.statement.latex.rpartition(ARROW)
            sizes, colon, given = before.rpartition(COLON)
            made = {h for hypotheses in assumed(c).values() for h in hypotheses}
            assert made <= {*given.split(COMMA)}
            left = COMMA.join(h for h in given.split(COMMA) if h not in made)
            (shown,) = claimed([("", c)], standing=True)
            whole = sizes + colon + (f"{left}{ARROW}{says}" if left else says)
            assert isinstance(shown, Display) and shown.formulas[0][1].latex == whole


@pytest.mark.parametrize(("given", "said"), [
    ("", ", assuming (A1) in (2):"), ("short", ", assuming (A1) in (2):"),
    ("none", "Assuming (A1) in (2):"),
])  # fmt: skip
def test_what_some_claims_assume_is_said_of_these(given: str, said: str) -> None:
    """A claim would be printed under an assumption of another, or without its own."""
    found = statement(unchecked(catalogue.load("every_depth")), given=given)
    (told,) = (b for b in found if isinstance(b, Paragraph) and "ssuming" in to_text.words(b.words))
    assert to_text.words(told.words).endswith(said)


def test_the_assumptions_are_in_the_chapter_that_links_lead_to() -> None:
    """A link would lead nowhere, or a number stand beside another assumption."""
    page_, _, place = theorem.ASSUMPTIONS.partition("#")
    (chapter,) = (c for c in texts() if page_ == f"chapter/{c.name}.html")
    title = re.search(r"^## (Standing .*)$", chapter.source, re.M)
    assert title and anchor(title[1]) == place
    assert {*re.findall(r"^- \((\w+)\) .*\{\1\}\.$", chapter.source, re.M)} == {*assumptions()}


def test_letters_that_mean_something_else_are_explained_again() -> None:
    """Q would be read as that of the theorem whose letters are used, or as that of the notation."""
    known = [f for w in unchecked(catalogue.load(theorem.NOTATION)).where for f in theorem.each(w)]
    slot = r"\{\w+ (\w+)[^}]*\| letters (\w+)"
    pairs = [pair for c in texts() for pair in re.findall(slot, c.source)]
    assert len(pairs) > 10
    for name, other in pairs:
        own, letters = (unchecked(catalogue.load(x)) for x in (name, other))
        shown = [f.latex for b in statement(own, known=known, letters=letters)
                 if isinstance(b, Display) for _, f in b.formulas]  # fmt: skip
        meaning = dict(f.latex.split(" = ", 1) for w in letters.where for f in theorem.each(w)
                       if " = " in f.latex)  # fmt: skip
        for f in (f for w in own.where for f in theorem.each(w) if " = " in f.latex):
            left, right = f.latex.split(" = ", 1)
            assert f.latex in shown or meaning.get(left, right) == right, (name, f.plain)


def test_long_hypotheses_are_displayed() -> None:
    """They would run over the edge of a page."""
    long = "a = " + " + ".join("bcdefghijklmnop" * 3)
    pair = [("(1)", claim(f"{long}{ARROW}x = 1")), ("(2)", claim(f"{long}{ARROW}x = 2"))]
    _, shown, then, _ = claimed(pair)
    assert shown == Display((("", Formula(long, "")),)) and then == Paragraph(("then",), True)


def test_hypotheses_are_shared_only_by_claims_that_have_the_same() -> None:
    """A claim would be printed under a hypothesis that it does not have, or without its own."""
    one, two, other = (claim(f"{h}{ARROW}x = {c}") for h, c in (("a", "1"), ("a", "2"), ("b", "3")))
    if_, shown = claimed([("(1)", one), ("(2)", two)])
    assert if_ == Paragraph(("If ", Formula("a", ""), ", then"))
    assert isinstance(shown, Display) and shown.formulas[0][1].latex == "x = 1"
    for pair in ([one, other], [one, claim("x = y")], [one], [one, two, other]):
        (shown,) = claimed([("", c) for c in pair])
        assert isinstance(shown, Display)
        assert [f for _, f in shown.formulas] == [c.statement for c in pair]


def test_letters_of_an_earlier_theorem_are_cited() -> None:
    """A definition would be printed twice in a chapter, or a letter be explained nowhere."""
    first, second = (
        page(name, "H = X + E", x) for name, x in (("a_b", "Z = A H"), ("c_d", "D = H"))
    )
    *_, told, shown = statement(second, letters=first)
    assert isinstance(told, Paragraph) and TheoremRef("a_b") in told.words
    assert shown == Display((("", Formula("D = H", "D = H")),))
    *_, told = statement(first, letters=first)
    assert told == Paragraph(("with letters as in ", TheoremRef("a_b"), "."), True)
    *_, shown = statement(second, known=[Formula("H = X + E", "H = X + E")])
    assert shown == Display((("", Formula("D = H", "D = H")),))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("two_causal_layers_see_order", "σ ∈ S_n, m, l, j ∈ {0, …, n − 1}:"),
        ("causal_last_token_invariant", "F: ℝ^d → ℝ^d, σ ∈ S_n:"),
        ("decoder_block_invariant_of_memory", "ρ ∈ S_m, assuming (A1), (A2):"),
    ],
)
def test_what_is_no_tensor_is_said_where_tensors_are_not_listed(name: str, said: str) -> None:
    """A permutation, an index or a function of a claim would be free in the book."""
    _, given, *_ = statement(unchecked(catalogue.load(name)), given="short")
    assert isinstance(given, Paragraph)
    told = to_text.words(given.words).replace(to_text.KEEP, " ")
    assert told.partition("of fitting shapes, ")[2] == said


def test_a_headline_has_the_number_by_which_it_is_cited() -> None:
    """Theorem 7.6 (5) would be cited, and no (5) stand in Theorem 7.6."""
    first = page("first_one")
    headline = replace(first.claims[0], headline="third_one")
    *_, told = statement(replace(first, claims=(*first.claims, headline)))
    assert told == Paragraph(("Stated in Rocq as ", "(2) ", Code("third_one"), "."))
    *_, told = statement(replace(first, claims=(headline,)))
    assert told == Paragraph(("Stated in Rocq as ", "", Code("third_one"), "."))


def test_what_is_asked_for_must_be_there() -> None:
    """A chapter would leave out a definition that it asks for, if another one is there; or what
    Rocq states be known to readers of Rocq alone."""
    first, other = (where(documents(), x).formulas for x in ("H_0", "z_1"))
    assert any(f.latex.startswith("H_{0} = ") for _, f in first)
    assert where(documents(), "H_0; z_1").formulas == (*first, *other)
    with pytest.raises(BadSlot, match="given the letter nonsense, expected one it defines"):
        where(documents(), "H_0; nonsense")
    with pytest.raises(BadSlot, match=r"given \{nonsense\}"):
        statement(replace(documents(), in_symbols=("nonsense",)))


# ---------------------------------------------------------------------------------- its proof
@pytest.mark.parametrize(
    ("change", "shown"),
    [({}, [1, 2]), ({"digest": "0" * 64}, [2]),
     *(({"verdict": "proved" if ok else "open", "marks": (Mark("exact", ok, 0.0, ""),)}, shown)
       for ok, shown in ((True, [1, 2]), (False, [2]), (None, [2])))],
)  # fmt: skip
def test_a_witness_is_that_of_a_claim_that_it_shows(change: Any, shown: list[int]) -> None:
    """A counterexample would be printed beside a claim that is not the file's, or that its mark
    does not bear out."""
    found = unchecked(catalogue.load("not_equivariant_of_learned_position"))
    changed = replace(found.claims[0], **change)
    page_ = replace(found, claims=(changed, *found.claims[1:]))
    assert [k for k, *_ in witness.of_page(page_)] == shown


@pytest.mark.parametrize(("table", "said"), [([1, 1, 0], "[2, 2, 1]"), (0, "1")])
def test_a_map_is_printed_as_people_count(table: Any, said: str) -> None:
    """A map would be printed from 0, or one that is no permutation as if it were."""
    assert witness._map(table) == said


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Fraction(1, 2), "1/2"), ([1, 2], "(1, 2)"), ([[1], [2]], "(1; 2)"), ([[[5]]], "(5)"),
        ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "(1, 2; 3, 4), (5, 6; 7, 8)"),
    ],
)  # fmt: skip
def test_values_are_printed_in_their_shape(value: Any, plain: str) -> None:
    """Rows would be printed as columns, or a matrix of a tensor be left out."""
    assert formulas.array(value).plain == plain


def test_a_definition_is_that_of_its_file(tmp_path: Path) -> None:
    """The book would quote a definition that Rocq does not read, half of one, or one of two."""
    source = (SOURCES / "ColourRefinement.v").read_text(encoding="utf-8")
    for name, end in (("share", "G h i j."), ("same_type", "x i == x j.")):
        text = definition(name).text
        assert text in source and text.endswith(end)
    twice = "Definition twice : nat := 1."
    for name, text, why in (("A", "", "given 0 definitions"), ("B", twice, ""),
                            ("C", twice, "given 2 definitions")):  # fmt: skip
        (tmp_path / f"{name}.v").write_text(f"{text}\n", encoding="utf-8")
        with pytest.raises(BadSlot, match=why) if why else nullcontext():
            assert definition("twice", sources=tmp_path).text == twice
    (tmp_path / "D.v").write_text(f"Definition long := {'1' * 110}.\n", encoding="utf-8")
    with pytest.raises(BadSlot, match="at most"):
        definition("long", sources=tmp_path)


def test_a_false_variant_is_printed_whole() -> None:
    """A reader would be told that a variant fails, and not see which, or why."""
    found = unchecked(catalogue.load("self_attention_equivariant"))
    assert found.neighbour
    false, why = found.neighbour
    _, *shown = theorem.variant(found).blocks
    assert shown == [Display((("", false),)), Paragraph((why,), True)]


def test_slots_of_a_proof() -> None:
    """A proof would speak of a tensor where it means that of the permuted inputs, an author ask for
    entries and print none, or a chapter name a theorem of Rocq that there is not."""
    alone = ProofSlots(None)
    for slot, latex in (("Z′", "Z'"), ("1", r"\mathbf{1}"), ("W_Q", "W_{Q}")):
        assert alone.within(slot) == (Formula(latex, slot),)
    slots = ProofSlots(unchecked(catalogue.load("self_attention_equivariant")))
    ((bare,), (whole,)) = (slots.displayed(f"chain Z{x}") for x in ("", " | entries"))
    assert "aside=Formula" in str(whole) and "aside=Formula" not in str(bare)
    with pytest.raises(BadSlot, match="given the option entrys"):
        slots.displayed("chain Z | entrys")
    name = "colour_refinement_of_encoders"
    assert alone.within(f"headline {name}") == (Code(name),)
    with pytest.raises(RocqError, match="colour_refinement_of_all"):
        alone.within("headline colour_refinement_of_all")
