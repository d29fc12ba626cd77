"""Letters that an earlier theorem explains, and how theorems and headlines are cited."""

from __future__ import annotations

from dataclasses import replace

from orderproof.check.page import ClaimPage, Formula, TheoremPage
from orderproof.publish.book.references import Names
from orderproof.publish.book.theorems import Theorems


def page(name: str, *where: str) -> TheoremPage:
    """A theorem with one claim and these definitions."""
    claim = ClaimPage(Formula("Z = Z", "Z = Z"), "equality", "all n", "proved", "proved", ())
    given = Formula(r"\forall\; n", "∀ n")
    told = tuple(Formula(text, text) for text in where)
    return TheoremPage(name, name, (), "", (), given, told, (), (claim,), None)


def test_letters_of_an_earlier_theorem_are_cited() -> None:
    """A definition would be printed twice in a chapter, or a letter be explained nowhere."""
    pages = [page("first_one", "H = X + E", "Z = A H"), page("second_one", "H = X + E", "D = H")]
    names = Names({"first_one": "lemma", "second_one": "theorem"})
    state = Theorems(pages, names).functions()["theorem"]
    alone, after = state("second_one"), state("second_one", letters_of="first_one")
    assert "H" in alone and "as in Lemma" not in alone
    assert "with letters as in Lemma~\\ref{thm:first_one}" in after
    assert "D" in after and "E" in alone and "E" not in after.partition("letters")[2]
    same = state("first_one", letters_of="first_one")
    assert "and where" not in same and same.count("with letters as in") == 1


def test_a_headline_has_the_number_by_which_it_is_cited() -> None:
    """Theorem 7.6 (5) would be cited, and no (5) stand in Theorem 7.6."""
    first = page("first_one")
    headline = replace(first.claims[0], headline="third_one")
    names = Names({"first_one": "theorem"})
    both = Theorems([replace(first, claims=(*first.claims, headline))], names).functions()
    assert r"Stated in Rocq as (2) \texttt{third" in both["theorem"]("first_one")
    alone = Theorems([replace(first, claims=(headline,))], names).functions()
    assert r"Stated in Rocq as \texttt{third" in alone["theorem"]("first_one")


def test_a_recorded_theorem_is_cited_as_one() -> None:
    """A chapter would rest on what was not checked for its copy, and not say so."""
    names = Names({"first_one": "theorem", "second_one": "lemma"}, {"first_one"})
    assert names.ref("first_one") == r"Theorem~\ref{thm:first_one}\recorded{}"
    assert names.ref("second_one") == r"Lemma~\ref{thm:second_one}"
    assert names.tex("By first_one.") == r"By Theorem~\ref{thm:first_one}\recorded{}."
