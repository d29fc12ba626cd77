"""Constants settled for all n, against what listing every permutation says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("cvc5")

from orderproof.symbolic.onnx.certificates import About, Anew, of_models, recheck, texts
from orderproof.symbolic.onnx.entries.check import Compared, numeric_check
from orderproof.symbolic.onnx.entries.questions import Moved, unmoved
from orderproof.symbolic.onnx.entries.reader import entry
from orderproof.symbolic.onnx.graph import Graph, Tensor
from orderproof.symbolic.onnx.settle import (
    CONDITIONAL,
    FALSE,
    PROVED,
    UNKNOWN,
    Settled,
    settle,
)
from orderproof.symbolic.smt import chain, cvc5_process
from orderproof.symbolic.smt.budget import Answer
from orderproof.symbolic.smt.certificate import CertificateError, parse
from orderproof.symbolic.smt.recheck import NOT_COMPARED, Row, judged

from .constant_graphs import EVERY, GRAPHS, SIZES, graph, truth

FAMILIES = sorted(EVERY)


@cache
def compared(name: str) -> Compared:
    """The constant of a graph of the list, read and compared."""
    body, _, tables, _ = GRAPHS[name]
    of = graph(body, **tables)
    return numeric_check(entry(of, "K"), of, SIZES)


def settled(name: str, family: str = "all") -> Settled:
    """What is said of it."""
    axes = dict.fromkeys(GRAPHS[name][1], 0)
    return settle(compared(name), axes, "n", family, 2 if family == "blocks" else None)


def is_quick(name: str, family: str) -> bool:
    """Whether the family is that of all, or one that keeps this graph as few others do."""
    *_, fixed_by = GRAPHS[name]
    return family == "all" or (fixed_by != EVERY and family in fixed_by)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        pytest.param(n, f, marks=[pytest.mark.slow] * (not is_quick(n, f)))
        for n in GRAPHS
        for f in FAMILIES
    ],
)
def test_answers_are_those_of_listing(name: str, family: str) -> None:
    """An answer would be wrong, or none be found where one is known."""
    body, axes, tables, fixed_by = GRAPHS[name]
    found = settled(name, family)
    assert found.answer == (PROVED if family in fixed_by else FALSE), found
    of = graph(body, **tables)
    small = [truth(of, axes, family, n) for n in range(2, 6)]
    if found.answer == PROVED:
        assert all(small)
    elif found.shown is not None:
        n = found.shown.sizes["n"]
        assert n > 5 or not small[n - 2]
        assert all(small[: n - 2])


def test_a_change_that_small_sizes_hide_is_found() -> None:
    """A window of 64 would be called constant for all n, as it is at every size up to 65."""
    shown = settled("window of 64").shown
    assert shown is not None
    assert shown.sizes == {"n": 66}
    shown = settled("table but for row 40").shown
    assert shown is not None
    assert shown.sizes == {"n": 41}
    assert 40 in (shown.entry[0], shown.sigma[shown.entry[0]])


def test_a_table_bounds_the_scope() -> None:
    """A table of 64 rows would be claimed to serve any number of tokens, or fewer than it does."""
    assert settled("table of equal rows").scope == "n <= 64"
    assert settled("one value expanded").scope == "all n"


def test_the_scope_is_as_large_as_the_table_allows() -> None:
    """A table of 64 rows of which each token takes two, or that begins with a class token, would be
    claimed for too many tokens, or for an unknown number of them."""
    table = np.ones(64, np.float32)
    of = graph(
        """
  two = Constant<value=int64{2}>()
  double = Mul(places, two)
  K = Gather(table, double)
""",
        table=table,
    )
    found = settle(numeric_check(entry(of, "K"), of, SIZES), {0: 0}, "n")
    assert (found.answer, found.scope) == (PROVED, "n <= 32")
    of = graph("more = Add(length, one1)\n K = Slice(table, zero1, more)", table=table)
    found = settle(numeric_check(entry(of, "K"), of, SIZES), {0: 1}, "n")
    assert (found.answer, found.scope) == (PROVED, "n <= 63")


SHIFTED = """
  head = Constant<value=float[1]{5}>()
  zeros = ConstantOfShape<value=float[1]{0}>(length)
  K = Concat<axis=0>(head, zeros, head)
"""


@pytest.mark.parametrize(("offset", "answer"), [(0, FALSE), (1, PROVED), (2, FALSE)])
def test_tokens_may_begin_after_a_class_token(offset: int, answer: str) -> None:
    """σ would move the class token, or the place after the last token."""
    of = graph(SHIFTED)
    found = settle(numeric_check(entry(of, "K"), of, SIZES), {0: offset}, "n")
    assert (found.answer, found.scope) == (answer, "all n" if answer == PROVED else "")


def test_tokens_that_do_not_fit_are_no_proof_for_all_n() -> None:
    """σ would act on places that K does not have, and the claim be called one for all n."""
    of = graph(SHIFTED)
    found = settle(numeric_check(entry(of, "K"), of, SIZES), {0: 3}, "n")
    assert found.answer != PROVED
    assert found.scope != "all n"


def test_what_holds_where_two_sizes_agree_is_no_proof_for_all_n() -> None:
    """A constant that exists only where another size is n would be claimed for all n."""
    of = graph("""
  batch = Shape<start=0, end=1>(x)
  first = ConstantOfShape<value=float[1]{1}>(batch)
  other = ConstantOfShape<value=float[1]{2}>(length)
  K = Add(first, other)
""")
    sizes = [{"n": n, "b": n} for n in (2, 3, 5, 7)]
    found = settle(numeric_check(entry(of, "K"), of, sizes), {0: 0}, "n")
    assert (found.answer, found.scope.partition(" where ")[0]) == (CONDITIONAL, "all n")


def test_an_entry_that_is_a_huge_tree_stays_unknown() -> None:
    """The text of a question about a graph that shares its parts would fill the memory."""
    lines = [f"c{k} = Greater(s{k}, zerof)\n n{k} = Tanh(s{k})\n s{k + 1} = Where(c{k}, n{k}, s{k})"
             for k in range(40)]  # fmt: skip
    of = graph("away = Equal(rows, columns)\n s0 = Cast<to=1>(away)\n" + "\n".join(lines)
               + "\n K = Identity(s40)")  # fmt: skip
    found = settle(numeric_check(entry(of, "K"), of, SIZES), {0: 0, 1: 0}, "n")
    assert (found.answer, "too large" in found.reason) == (UNKNOWN, True)


def test_one_number_of_tokens_is_settled_as_such() -> None:
    """A constant of a fixed axis would not be settled, or claimed for all n."""
    of = graph("K = Constant<value=float[3]{1, 2, 1}>()")
    whole = numeric_check(entry(of, "K"), of, [{}])
    assert settle(whole, {0: 0}, 3).answer == FALSE
    found = settle(whole, {0: 0}, 3, "reversal")
    assert (found.answer, found.scope) == (PROVED, "n = 3")


def test_a_table_of_many_entries_is_settled_by_each_of_them() -> None:
    """A table that solvers know nothing of would stay unknown at a size where it can be looked
    at."""
    table = np.random.default_rng(3).normal(size=20)
    of = graph("K = Identity(table)", table=np.concatenate([table, table[::-1]]))
    found = settle(numeric_check(entry(of, "K"), of, [{}]), {0: 0}, 40, "reversal")
    assert (found.answer, found.scope, found.by) == (PROVED, "n = 40", "enumeration")


def test_one_solver_alone_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Z3 alone says would be called proved."""
    of = compared("one value expanded")
    chain.answered.cache_clear()
    monkeypatch.setattr(cvc5_process, "installed", lambda: False)
    found = settle(of, {0: 0, 1: 0}, "n")
    chain.answered.cache_clear()
    assert found.answer == UNKNOWN
    assert "cvc5" in found.reason


@pytest.mark.parametrize("word", ["unknown", "sat"])
def test_solvers_that_disagree_prove_nothing(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What one solver doubts would be called proved, or what one refutes be called false without an
    n that shows it."""
    of = compared("one value expanded")
    chain.answered.cache_clear()
    monkeypatch.setattr(cvc5_process, "answer", lambda *_: Answer(word))
    found = settle(of, {0: 0, 1: 0}, "n")
    chain.answered.cache_clear()
    assert found.answer == UNKNOWN


def test_what_was_not_compared_is_not_settled() -> None:
    """An expression would be trusted unseen."""
    of = graph(GRAPHS["zeros"][0])
    with pytest.raises(TypeError, match="expected Compared"):
        settle(entry(of, "K"), {0: 0}, "n")  # type: ignore[arg-type]


def written(of: Graph, axes: dict[int, int], size: str = "n") -> list[str]:
    """The files of the questions that settle K of a graph."""
    found = settle(numeric_check(entry(of, "K"), of, SIZES), axes, size)
    assert found.answer == PROVED
    return texts(found, of.sha256, "K", axes, size)


def model(name: str, digest: str = "0" * 64) -> Graph:
    """A graph of the list as one of a file."""
    body, _, tables, _ = GRAPHS[name]
    return replace(graph(body, **tables), sha256=digest)


def row_of(text: str, of: Graph) -> Row:
    """What is said of a file, compared with a model."""
    certificate = parse(text.encode(), "K.smt2")
    return recheck(certificate, 10.0, Anew(of).compared(certificate))


@cache
def genuine() -> tuple[Anew, str]:
    """The questions of a model, and the file of the last."""
    of = model("one value expanded")
    return Anew(of), written(of, {0: 0, 1: 0})[-1]


def unasked(text: str) -> str:
    """The verdict on a file by what it says alone: no solver is asked."""
    certificate = parse(text.encode(), "K.smt2")
    return judged(certificate, {}, genuine()[0].compared(certificate)).verdict


@pytest.mark.usefixtures("kept_solvers")
def test_a_question_is_rechecked_with_its_model() -> None:
    """A genuine certificate would be refused, or one of a changed constant be accepted."""
    of = model("one value expanded")
    for said in written(of, {0: 0, 1: 0}):
        row = row_of(said, of)
        assert (row.verdict, sorted(row.answers)) == ("checked", ["cvc5", "z3"]), row
        assert row_of(said, model("one value expanded", "1" * 64)).verdict == "refused"
        changed = row_of(said, model("diagonal"))  # another constant under the same digest
        assert changed.verdict == "refused" and "another question" in changed.reason


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("; states: ", "; states: not "),
        ("; to prove: ", "; to prove: not "),
        ("; title: The constant K", "; title: The constant of positions"),
        ("; obligation: constant K", "; obligation: constant positions"),
        ('"constant": "K"', '"constant": "places"'),
        ('"axes": {"0": 0', '"axes": {"0": 1'),
        ('"axes": {"0": 0, "1": 0}', '"axes": {"0": 0}'),
        ('"axes": {"0": 0, "1": 0}', '"axes": {}'),
        ('"axes": {"0": 0', '"axes": {"5": 0'),
        ('"axes": {"0": 0', '"axes": {"0": false'),
        ('"size": "n"', '"size": "b"'),
        (", for all n", ", for n <= 8"),
        ('"bound": null, ', ""),
        ('"bound": null', '"bound": 8'),
        ('"bound": null', '"bound": -1'),
        ('"bound": null', '"bound": "all"'),
        ('"question": ', '"question": 1'),
        ('; serves: {', '; serves: {"more": 1, '),
        ('; serves: {', '; serves: ['),
    ],
)  # fmt: skip
def test_an_edited_header_is_refused(old: str, new: str) -> None:
    """A true question would stand under other words, or be about another constant or axis."""
    _, said = genuine()
    assert old in said and unasked(said) == "open"
    assert unasked(said.replace(old, new)) == "refused"


def test_a_line_of_the_header_may_not_be_gone() -> None:
    """The line which says up to how many tokens a question goes could be deleted."""
    _, said = genuine()
    lines = said.splitlines(keepends=True)
    needed = [k for k, line in enumerate(lines) if line.startswith(("; given", "; title", "; obl"))]
    assert len(needed) > 4
    for k in needed:
        assert unasked("".join([*lines[:k], *lines[k + 1 :]])) == "refused", lines[k]


@pytest.mark.usefixtures("kept_solvers")
def test_a_false_question_is_refuted_from_its_text() -> None:
    """A certificate of a falsehood would be accepted."""
    of = model("causal by Trilu")
    question = unmoved(entry(of, "K"), Moved.of({0: 0, 1: 0}, "n"))
    asked = Anew(of).questions(About(of.sha256, "K", ((0, 0), (1, 0)), "n", None, 0))
    at = next(k for k, o in enumerate(asked) if o.text == question.text)
    said = About(of.sha256, "K", ((0, 0), (1, 0)), "n", None, at).text(question)
    assert row_of(said, of).verdict == "refuted"


@pytest.mark.usefixtures("kept_solvers")
def test_a_folder_of_questions_is_rechecked(tmp_path: Path) -> None:
    """A file that was compared with no model would be called checked; a missing question be passed
    over; or a certificate of a theorem be taken for a question about a model."""
    of = model("one value expanded")
    said = written(of, {0: 0, 1: 0})
    for k, text in enumerate(said):
        (tmp_path / f"{k}.smt2").write_text(text, "utf-8")
    report = of_models(tmp_path, 10.0)
    assert report is not None and report.ending.status == 3 and report.to_json()["model"] is None
    assert {row.verdict for row in report.rows} == {NOT_COMPARED}
    (tmp_path / f"{len(said)}.smt2").write_text(said[0].replace("; theorem: c", "; theorem: d"))
    assert of_models(tmp_path, 10.0, graph=of) is None
    (tmp_path / f"{len(said)}.smt2").write_text("(exit)")
    report = of_models(tmp_path, 10.0, graph=of)
    assert report is not None and report.ending.status == 2


@pytest.mark.parametrize("name", ["a|b", 'say "n"', "a \\ b", "two  spaces    here", "größe", "∖¦"])
def test_a_constant_may_have_any_name(name: str) -> None:
    """A name that a header cannot hold as it is would be read back as another."""
    about = About("0" * 64, name, ((0, 3),), name, 8, 1)
    line = " ".join(about.line().split()).replace("|", "¦").replace("\\", "∖")
    assert About.of(line) == about
    with pytest.raises(CertificateError):
        About.of(line[:-1])


@pytest.mark.usefixtures("kept_solvers")
@pytest.mark.parametrize("name", ["a", "i0", "dim_a", "n|)"])
def test_a_size_may_have_any_name(name: str) -> None:
    """A size would be taken for a position or an index of the question, or end its text."""
    given = Tensor("x", np.dtype(np.float32), ("other", name, 8))
    whole = graph(GRAPHS["one value expanded"][0])
    of = replace(whole, inputs={"x": given}, proto=None)
    sizes = [{name: n, "other": 2} for n in (1, 2, 5, 7)]
    found = settle(numeric_check(entry(of, "K"), of, sizes), {0: 0, 1: 0}, name)
    assert (found.answer, found.scope) == (PROVED, "all n")
    of = replace(of, sha256="0" * 64)
    for said in texts(found, of.sha256, "K", {0: 0, 1: 0}, name):
        assert row_of(said, of).verdict == "checked"
