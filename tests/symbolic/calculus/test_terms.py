"""Terms: equal ones are one object, names are free, shape errors come at once."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import (
    Map,
    Op,
    Set,
    ShapeError,
    Term,
    at,
    build,
    opened,
    reachable,
)
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    call,
    cat,
    constant,
    define,
    delta,
    exp,
    in_order,
    inverse,
    iota,
    number,
    opaque,
    permutation,
    pointwise,
    reduce,
    size,
    symbol,
    tensor,
    total,
)
from orderproof.symbolic.statements.statement import Atom, Statement

SYMBOLIC = Path(__file__).resolve().parents[3] / "symbolic"
N, M = Set("n"), Set("m")
X, Q = tensor("X", i=N), tensor("Q", j=M)
S = tensor("S", i=N, j=N)
a = tensor("a")
σ = permutation("σ", N)


def test_equal_terms_are_one_object() -> None:
    """Two equal terms would be compared part by part, or taken for different."""
    assert add(X, Q).node is add(tensor("X", i=N), tensor("Q", j=M)).node
    assert add(X, Q).node is not add(Q, X).node
    assert number(1).node is number(Fraction(2, 2)).node
    assert number(1).node is not size(POINT).node


def test_bound_names_make_no_difference() -> None:
    """A term would depend on the name of a bound axis."""
    assert total(S, "j") == total(S.rename({"j": "k"}), "k")
    assert total(S, "j") != total(S, "i").rename({"j": "i"})


def test_free_names_are_no_part_of_the_node() -> None:
    """A renaming would make a node, or exchange axes one after the other."""
    assert S.rename({"i": "j", "j": "i"}).node is S.node
    assert S.rename({"i": "j", "j": "i"}).axes == ("j", "i")
    assert at(S, {"i": "j", "j": "i"}) == S.rename({"i": "j", "j": "i"})
    assert at(S, {"i": "j"}).node is not S.node
    assert build(Op("at", ((constant("p", N)(),), (N,), ())), [a], [["z"]]) == a


def test_a_bound_axis_is_not_captured() -> None:
    """An axis of an index expression would be caught by a reduction of the same name."""
    t = at(total(S, "j"), {"i": σ("j")})
    assert t.axes == ("j",)
    assert t != total(at(S, {"i": σ("j")}), "j")


def test_opening_gives_back_what_was_built() -> None:
    """A constructor would lose its parts, bound axes or names."""
    for t in (cat(X, Q.rename({"j": "i"}), "i"), total(S, "j"), at(S, {"i": σ("j")})):
        assert build(*opened(t)) == t
    assert opened(total(S, "j"))[1] != opened(total(S, "j"))[1]


ROW = tensor("R", j=N)
SOFTMAX = define("softmax", [ROW], exp(ROW))
BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "leaf with too few names": (lambda: build(X.node.op, names=[]), "leaf.*X.*fit"),
    "leaf with an axis twice": (lambda: build(S.node.op, names=["i", "i"]), "leaf.*S.*'i', 'i'"),
    "leaf renamed to one axis": (lambda: S.rename({"i": "j"}), r"S: given axes \('j', 'j'\)"),
    "term with an axis too many": (lambda: Term(X.node, ("i", "j")), "X: given axes"),
    "axis that is an expression": (lambda: X.rename({"i": σ("i")}), "X: given axes"),
    "number of a float": (lambda: build(Op("number", (0.5,))), "number.*0.5.*expected"),
    "size of a name": (lambda: build(Op("size", ("n",))), "size.*expected"),
    "iota with two names": (lambda: build(Op("iota", (N,)), names="ij"), "iota.*ij.*fit"),
    "delta with one name": (lambda: delta(N, "i", "i"), "delta.*fit"),
    "pointwise over two sets": (
        lambda: add(X, Q.rename({"j": "i"})), "axis 'i' over.*m.*n"),
    "pointwise of too few": (
        lambda: build(Op("pointwise", ("f", 2)), [X], [[]]), "pointwise.*given"),
    "reduce over another set": (
        lambda: reduce("sum", X, "i", M), "axis 'i' over.*n.*expected.*m"),
    "reduce over nothing": (lambda: total(X, "j"), "sum of X: given axis 'j', expected"),
    "reduce in an unknown way": (lambda: reduce("first", X, "i"), "reduce.*first.*expected"),
    "at with an unknown axis": (lambda: at(X, {"z": "i"}), r"X: given.*'z'.*expected.*'i'"),
    "at with an index of another set": (
        lambda: at(X, {"i": permutation("ρ", M)("i")}), "expected an index"),
    "at with too many indices": (lambda: at(X, {"i": σ("i", "j")}), "expected an index"),
    "diagonal over two sets": (
        lambda: at(tensor("T", i=N, j=M), {"i": "j"}), "T: given axis 'j' over"),
    "at by an axis over another set, in its constructor": (
        lambda: Op("at", ((0,), (N,), (M,))), "given at .*expected a constructor"),
    "at by a map of other sets, in its constructor": (
        lambda: Op("at", ((permutation("ρ", M)(0),), (N,), (M,))), "expected an index of"),
    "at of an axis that is no slot, in its constructor": (
        lambda: Op("at", (("no",), (N,), (N,))), "given at .*expected a constructor"),
    "at with a slot that no index uses": (
        lambda: Op("at", ((0,), (N,), (N, M))), "given at .*expected a constructor"),
    "at with too few indices, in its constructor": (
        lambda: Op("at", ((0,), (N, N), (N,))), "given at .*expected a constructor"),
    "at with one slot over two sets": (
        lambda: Op("at", ((0, 0), (N, M), (N,))), "axis 0 over"),
    "at by a map of other sets, of a part that lacks the axis": (
        lambda: build(Op("at", ((symbol("f", (M,), M)(0),), (N,), (M,))), [a], [["z"]], ["j"]),
        "expected an index of"),
    "at with a shared axis of its name": (
        lambda: build(at(X, {"i": σ("i")}).node.op, [S], [["i"]], ["j"]), "given axes.*expected"),
    "sum of one set": (lambda: Set("+", (N,)), r"set \+: given.*expected 2 parts"),
    "product of no sets": (lambda: Set("×"), "set ×: given.*expected 2 parts"),
    "symbol of a set with parts": (lambda: Set("n", (N, M)), "set n: given.*expected 0 parts"),
    "cat with a shared axis of its name": (
        lambda: build(Op("cat", (N, M)), [S, Q], [["i"], ["j"]], ["j"]), "given axes.*expected"),
    "cat over other sets": (
        lambda: build(Op("cat", (M, M)), [X, Q], [["i"], ["j"]], "c"), "axis 'i' over"),
    "apply with too few parts": (lambda: call(SOFTMAX, [], [], ["j"]), "apply.*softmax"),
    "apply over another set": (lambda: call(SOFTMAX, [Q], [["j"]], ["j"]), "axis 'j' over"),
    "definition with a free tensor": (
        lambda: define("D", [ROW], add(ROW, X)), "apply.*D.*expected"),
    "definition whose formal is no tensor": (
        lambda: define("D", [exp(ROW)], a), "apply.*expected"),
    "definition with two formals of a name": (
        lambda: define("D", [ROW, tensor("R", j=M)], ROW), "apply.*expected"),
    "opaque over another set": (
        lambda: build(Op("opaque", ("g", ((M,),), ())), [X], [["i"]]), "axis 'i' over"),
    "opaque with too few names": (
        lambda: build(Op("opaque", ("g", ((N,),), (M,))), [X], [["i"]]), "opaque.*fit"),
    "iterate of an operator that is no definition": (
        lambda: Op("iterate", (Op("opaque", ("g", ((N,),), (N,))), M)), "given iterate.*expected"),
    "iterate of a definition without tokens": (
        lambda: Op("iterate", (define("D", [], number(1)), M)), "given iterate.*expected"),
    "iterate of a definition that yields what it cannot take": (
        lambda: Op("iterate", (define("D", [ROW], total(ROW, "j")), M)),
        "given iterate.*expected"),
    "iterate over what is no set": (lambda: Op("iterate", (SOFTMAX, "m")), "given iterate"),
    "iterate of weights over another set of layers": (
        lambda: build(Op("iterate", (define("D", [ROW, a], add(ROW, a)), M)), [ROW, X],
                      [["j"], ["i"]], ["j"]), "axis 'i' over"),
    "unknown constructor": (lambda: Op("scan", (N,)), "given scan.*expected a constructor"),
    "inverse of any map": (lambda: inverse(symbol("f", (N,), N)), "map inverse.*bijective"),
    "bijection of two arguments": (lambda: symbol("f", (N, N), N, bijective=True), "map symbol"),
    "a place beside a map": (lambda: Map("beside", (constant("p", N), σ)), "map beside"),
    "a pair beside a map": (lambda: Map("beside", (Map("pair", (N, M)), σ)), "map beside"),
    "unknown map": (lambda: Map("swap", (N, N)), "map swap: given.*expected"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_shape_errors_say_what_was_given_and_expected(name: str) -> None:
    """A term that means nothing could be built, or the message would not help."""
    make, match = BAD[name]
    with pytest.raises(ShapeError, match=match):
        make()


def test_every_constructor_has_a_shape_error() -> None:
    """A constructor would have come in without a planted mistake."""
    text = (SYMBOLIC / "calculus" / "terms.py").read_text(encoding="utf-8")
    text = text.split("def signature")[1]
    text = text.split("raise ShapeError")[0]
    tree = [part.split('"')[1] for part in text.split("case ")[1:]]
    kinds = {*tree, "size"}
    assert kinds == {
        "leaf", "number", "size", "iota", "delta", "pointwise", "reduce", "at", "cat", "apply",
        "opaque", "iterate",
    }  # fmt: skip
    assert [kind for kind in kinds if not any(kind in name for name in (*BAD, "at "))] == []


def test_good_shapes_are_built() -> None:
    """The planted mistakes would be refused for another reason: their corrections are not."""
    assert build(S.node.op, names=["i", "k"]).axes == ("i", "k")
    assert add(X, Q).sets == {"i": N, "j": M}
    assert reduce("sum", a, "i", N).axes == ()
    assert at(tensor("T", i=N, j=N), {"i": "j"}).axes == ("j",)
    assert call(SOFTMAX, [S], [["j"]], ["k"]).sets == {"k": N, "i": N}
    assert opaque("g", {"i": "i"}, X, {"k": M}).sets == {"k": M}
    assert Map("beside", (σ, permutation("ρ", M))).kind == "beside"


@pytest.mark.usefixtures("small_stack")
@pytest.mark.parametrize("depth", [250, pytest.param(10_000, marks=pytest.mark.slow)])
def test_depth_is_no_limit(depth: int) -> None:
    """A deep model would overflow the stack, of Python or of what is written in C."""
    t = X
    for _ in range(depth):
        t = exp(t)
    assert len(reachable(t.node)) == depth + 1
    th = kernel.at_op(t, {"i": σ("i")})
    new = kernel.inst(th, {X.node.op: Term(tensor("Y", i=N).node, (0,))})
    assert len(reachable(new.rhs.node)) == depth + 2
    assert "exp" in repr(t) and len(repr(t)) < 100


def lines_and_imports(files: list[Path]) -> tuple[int, set[str]]:
    """Lines after formatting, and the modules that are imported from outside."""
    count, modules = 0, set()
    for file in files:
        text = file.read_text(encoding="utf-8")
        count += len(text.splitlines())
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(
                    f"{'.' * node.level}{node.module}".split(".")[0 if not node.level else 1]
                )
    return count, modules


def test_what_is_trusted_is_small_and_stands_alone() -> None:
    """The trusted part would have grown beyond what one reads, or rest on a library."""
    trusted = [SYMBOLIC / "calculus" / "terms.py", SYMBOLIC / "calculus" / "kernel.py"]
    count, modules = lines_and_imports(trusted)
    assert count <= 600
    assert modules - set(sys.stdlib_module_names) <= {"terms"}
    run = [sys.executable, "-m", "ruff", "format", "--check", *map(str, trusted)]
    done = subprocess.run(run, capture_output=True, text=True, cwd=SYMBOLIC.parent)
    if "No module named ruff" not in done.stderr:
        assert done.returncode == 0, done.stdout
    reading = SYMBOLIC / "readings" / "sympy_entries.py"
    assert lines_and_imports([reading])[1] - set(sys.stdlib_module_names) >= {"sympy"}


def test_order_of_use_is_not_the_order_of_building() -> None:
    """What is printed would depend on which theorems were loaded before."""
    last, first = tensor("built first", i=N), tensor("built second", i=N)
    node = pointwise("minus", first, last).node
    leaves = [n.op.data[0] for n in in_order(node) if n.op.kind == "leaf"]
    assert leaves == ["built second", "built first"]
    assert [n.op.data[0] for n in reachable(node)[:2]] == leaves[::-1]
    assert set(in_order(node)) == set(reachable(node)) and in_order(node)[-1] is node


def test_pointwise_functions_have_no_meaning_here() -> None:
    """Two functions would be one because their arguments are."""
    assert pointwise("f", X).node is not pointwise("g", X).node
    assert iota(N, "i").node is not iota(M, "i").node


def test_renaming_what_is_not_there() -> None:
    """A misspelt axis would leave the term as it is, and nobody would know."""
    x = tensor("X", i=Set("n"), k=Set("d"))
    with pytest.raises(ShapeError) as caught:
        x.rename({"q": "z"})
    assert str(caught.value) == "rename: given ['q'], expected axes among ('i', 'k')"
    with pytest.raises(ShapeError):
        x.rename({"i": "j", "q": "z"})
    assert x.rename({"i": "j"}).axes == ("j", "k") and x.rename({0: 1}) == x


def test_a_line_for_each() -> None:
    """A term, a theorem or a statement would fill the screen that it is shown on."""
    n = Set("n")
    x = tensor("X", i=n, k=Set("d"))
    assert repr(x) == "<Term i,k: X>" and repr(x.node) == "X"
    assert repr(exp(x)) == "<Term i,k: exp(X)>"
    assert repr(at(x, {"i": permutation("σ", n)("j")})) == "<Term j,k: at(X)>"
    assert repr(add(size(n), iota(n, "i"))) == "<Term i: add(size, iota)>"
    assert repr(number(2).node) == "2" and repr(delta(n, "i", "j").node) == "delta"
    deep = x
    for _ in range(99):
        deep = add(deep, deep)
    wide = opaque("f" * 200, {f"axis{k}": f"axis{k}" for k in range(50)},
                  tensor("Y", **{f"axis{k}": n for k in range(50)}),
                  {f"axis{k}": n for k in range(50)})  # fmt: skip
    for t in (deep, wide, Term(x.node, (object(), object()))):
        theorem = kernel.hyp(t, exp(t))
        for said in (repr(t), repr(theorem), repr(Statement(Atom(t, "=", exp(t))))):
            assert len(said) < 400 and said.isprintable() and said.startswith("<")
    assert repr(kernel.hyp(x, exp(x))) == (
        "<Theorem 1 assumed ⊢ <Term 0,1: X> = <Term 0,1: exp(X)>, by hyp, perm>"
    )
