"""Whether a certificate is a question of the statement that it carries: every edit is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from orderproof.symbolic.smt.chain import Served, by_chain
from orderproof.symbolic.smt.recheck import READER
from orderproof.symbolic.smt.served import MISSTATED, STATED, compared, first_difference
from orderproof.symbolic.smt.solvers import Process

from .certificate_texts import GOAL, SUM, SWAP, TEXTS, certificates_of, refuted

WHOLE = TEXTS["sum_act_goal"]
((SERVED, _),) = by_chain("permute").served(SUM).items()
((OTHER, _),) = by_chain().served(refuted()).items()
LINE = SERVED.line()
FALSE = certificates_of("false", refuted())["false_goal"]
Edit = Callable[[str], str]


def changed(key: str, new: str) -> Edit:
    """The first line of this key of the header changed to other lines."""

    def edit(text: str) -> str:
        lines = text.splitlines(keepends=True)
        place = next(k for k, x in enumerate(lines) if x.startswith(f"; {key}: "))
        return "".join([*lines[:place], new, *lines[place + 1 :]])

    return edit


def replaced(old: str, new: str) -> Edit:
    """The first of these changed."""

    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


EDITS = {
    "another goal in words": (changed("to prove", "; to prove: 0 = 1\n"), "to prove: 0 = 1"),
    "another assumption in words": (changed("given", "; given: n > 5\n"), "given: n > 5"),
    "an assumption that is not said": (changed("given", ""), "line 12: given"),
    "two for one": (changed("given", "; given: n > 5\n; given: n > 6\n"), "given: n > 5"),
    "a second goal in words": (
        replaced("; expected", "; to prove: n = n\n; expected"),
        "to prove: n = n",
    ),
    "other words": (changed("states", "; states: Z_O is not Z_O\n"), "states: Z_O is not Z_O"),
    "other lemmas": (changed("uses", "; uses: nothing\n"), "uses: nothing"),
    "no lemmas": (changed("uses", ""), "line"),
    "a key of its own": (replaced("; states", "; proves: 0 = 1\n; states"), "proves: 0 = 1"),
    "words after the header": (replaced("(declare", "; claim: 0 = 1\n(declare"), "claim: 0 = 1"),
    "words between assertions": (replaced("(assert", "; n is 0\n(assert"), "; n is 0"),
    "words at the end": (lambda t: t + "; and all else\n", "; and all else"),
    "a header cut in two": (replaced("; states", ";\n; states"), "expected '; states"),
    "no negation": (replaced(GOAL, "(assert (or (not (= n n)) (= i 0)))\n"), "(or (not"),
    "the goal of nothing": (replaced(GOAL, "(assert (not (= i i)))\n"), "(= i i)"),
    "an assertion more": (replaced("(assert", "(assert (> n 7))\n(assert"), "(> n 7)"),
    "an assertion less": (replaced("(assert (>= n 0))\n", ""), "expected '(assert (>= n 0))'"),
    "an assertion weakened": (replaced("(>= n 0))", "(>= n (- 1)))"), "(- 1)"),
    "an assertion with a name": (replaced("(>= n 0))", "(! (>= n 0) :named q))"), ":named"),
    "a declaration less": (replaced("(declare-fun j () Int)\n", ""), "declare-fun j"),
    "a declaration of another type": (replaced("fun j () Int)\n", "fun j () Real)\n"), "j () Real"),
    "another logic": (replaced("(set-logic ALL)", "(set-logic QF_LRA)"), "QF_LRA"),
    "spaces": (replaced("(set-logic ALL)", "(set-logic  ALL)"), "set-logic  ALL"),
    "another lemma by name": (
        changed("obligation", "; obligation: sum_update_step\n"),
        "another question",
    ),
    "no lemma of that name": (changed("obligation", "; obligation: all\n"), "no question 'all'"),
    "no name": (changed("obligation", ""), "no question ''"),
    "no statement": (changed("serves", ""), "a header without 'serves'"),
    "a second statement": (
        changed("serves", f"; serves: {LINE}\n; serves: {OTHER.line()}\n"),
        "no question 'sum_swap'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("edit", "words"), EDITS.values(), ids=EDITS)
def test_every_edit_is_told(edit: Edit, words: str) -> None:
    """A file could say, or assert, something else than a question of its statement."""
    word, reason = compared(edit(SWAP))
    assert word == MISSTATED and words in reason and reason.isprintable(), reason


def serving(line: str, text: str = WHOLE) -> tuple[str, str]:
    """What is found of a certificate that serves another statement than its own."""
    return compared(changed("serves", f"; serves: {line}\n")(text))


def line_of(**new: str) -> str:
    """What is served, with something of it changed."""
    old = {"statement": SERVED.statement, "digest": SERVED.digest, "chain": SERVED.chain}
    return Served(**{**old, **new}).line()


def test_another_statement_or_chain_is_told() -> None:
    """A true question would pass for one of another statement, or of a chain that has none."""
    assert serving(LINE) == (STATED, "")
    for line, words in (
        (OTHER.line(), "another question"),
        (line_of(digest=OTHER.digest), "digest: given"),
        (line_of(statement=OTHER.statement), "digest: given"),
        (line_of(chain=""), "another question"),
        (line_of(chain="scale"), ""),
        (line_of(chain="assume"), "step assume: expected one of"),
        (line_of(instance=OTHER.statement), ""),
    ):
        word, reason = serving(line)
        assert word == MISSTATED and words in reason and reason.isprintable(), reason
    assert compared(FALSE)[0] == STATED  # it is what it says; that it is false, the solvers say
    assert serving(LINE, FALSE)[0] == MISSTATED


HOSTILE = {
    "no JSON": "Σ_j a = Σ_j a",
    "nothing": "",
    "a number": "1",
    "a list": "[]",
    "an object": "{}",
    "nested": "[" * 200_000,
    "closed": "[" * 200_000 + "]" * 200_000,
    "a key twice": LINE.replace("{", '{"digest":"0",', 1),
    "a key more": LINE.replace("{", '{"proves":"all",', 1),
    "spaces": LINE.replace(",", ", ", 1),
    "no text": LINE.replace('"permute"', "7"),
    "a digest that is a list": LINE.replace(f'"{SERVED.digest}"', "[]"),
    "a long number": LINE.replace('"permute"', "9" * 10_000),
    "no number": LINE.replace('"permute"', "NaN"),
    "statement of wrong types": line_of(statement='["orderproof statement 1",{"a":[]},7]'),
    "no statement": line_of(statement="null"),
    "a nested statement": LINE.replace('[["tensor",0]]', '[["tensor",' + "[" * 900 + "]" * 901),
    "a step with words": line_of(chain="permute " + "a " * 10_000),
    "an instance of wrong types": LINE.replace('"instance":null', '"instance":{"a":7}'),
}  # fmt: skip


def test_hostile_statements_are_told() -> None:
    """A line that is no statement would end the reader, keep it for ever, or pass."""
    with Process(READER) as process:
        for name, line in HOSTILE.items():
            said = process.compare(changed("serves", f"; serves: {line}\n")(WHOLE), 60)
            assert said.word in (MISSTATED, "error"), (name, said)
            assert said.reason.isprintable() and len(said.reason) < 300, name
        assert process.compare(WHOLE, 60).word == STATED


def test_a_difference_is_shown_where_it_is() -> None:
    """The place of a difference in a long line could not be told."""
    assert first_difference("a", "a") == ""
    long = "x" * 1000
    said = first_difference(f"a\n{long}1", f"a\n{long}2\nb")
    assert said == f"line 2: given '{'x' * 20}1', expected '{'x' * 20}2'"
    assert first_difference("a", "a\nb") == "line 1: given 'a', expected 'a'"  # and a next line
