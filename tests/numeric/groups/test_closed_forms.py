"""The formulas for groups at any n, against the exact groups at small n."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import pytest

from orderproof.numeric.groups import closed_forms, names, symmetry
from orderproof.numeric.groups.automorphisms import EngineError, Group, keeps
from orderproof.numeric.groups.bias_matrices import SCHEMES, Options, position
from orderproof.numeric.groups.closed_forms import CLOSED, Closed, Shape
from orderproof.numeric.groups.exact_matrix import MatrixError

BLOCKS = ((1,), (1, 1), (2, 1), (3, 3), (2, 2, 2), (1, 1, 1, 1), (3, 1, 3), (4, 2, 2, 3, 3),
          (1, 5), (5, 1, 1), (2, 2, 3, 3), (3, 2, 2, 1))  # fmt: skip


def cases(name: str) -> Iterator[tuple[int, Options]]:
    """Sizes and parameters."""
    parameters = SCHEMES[name].parameters
    if "s" in parameters:
        for sizes in BLOCKS:
            yield sum(sizes) + SCHEMES[name].extra, Options(blocks=sizes)
    for n in range(5 if name == "circulant-even" else 3, 14):
        if "w" in parameters:
            yield from ((n, Options(window=w)) for w in range(n + 2))
        elif "p" in parameters:
            yield from ((n, Options(prefix=p)) for p in range(n + 2))
        elif "k" in parameters:
            yield from ((n, Options(clip=k)) for k in range(n + 2))
        elif "s" not in parameters:
            yield n, Options()


def mismatch(name: str, n: int, options: Options) -> str:
    """Where the formula differs from the exact groups; nothing where it does not."""
    layer = symmetry.of_scheme(position(name, n, options))
    exact = symmetry.answer(layer)
    formula, _, _ = closed_forms.answer(name, n, options)
    if formula.limit != exact.limit or set(formula.context) != set(exact.context):
        return f"limit {formula.limit}, not {exact.limit}"
    reach = symmetry.reached(layer)
    pairs = [("layer", formula.layer, exact.layer, layer.colours)]
    for depth, found in formula.context.items():
        matrix = symmetry.context_colours(layer, min(depth, len(reach)), reach)
        pairs.append((f"depth {depth}", found, exact.context[depth], matrix))
    for said, found, wanted, matrix in pairs:
        if found.order != wanted.order or found.orbits != wanted.orbits:
            return f"{said}: order {found.order}, not {wanted.order}"
        if not all(keeps(matrix, sigma) for sigma in found.generators):
            return f"{said}: a generator that keeps nothing"
        if math.prod(powers(found)) != found.order:
            return f"{said}: {found.formula} is not {found.order}"
    return ""


def powers(found: Group) -> Iterator[int]:
    """The factors of the order as it is written."""
    for part in found.formula.split(" · "):
        base, _, power = part.partition("^")
        value = math.factorial(int(base[:-1])) if base.endswith("!") else int(base)
        yield value ** int(power or 1)


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("most", [20, pytest.param(None, marks=pytest.mark.slow)])
def test_a_formula_gives_the_exact_groups_at_small_sizes(name: str, most: int | None) -> None:
    """Otherwise the formula is false at some size or parameter: of the layer, of the context at a
    depth, or in the depth from which on nothing changes."""
    found = [(n, options, mismatch(name, n, options)) for n, options in islice(cases(name), most)]
    assert len(found) >= 9 and [f for f in found if f[2]] == []


def test_every_scheme_has_a_formula_but_the_planes() -> None:
    """Otherwise a scheme is refused at large n without need."""
    assert set(SCHEMES) - set(CLOSED) == {name for name, s in SCHEMES.items() if s.grid}


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("alibi", Closed(lambda n, f, s: Shape())),
        ("causal", Closed(lambda n, f, s: Shape(), lambda n, f, s, d: Shape((range(n - 1),)))),
        ("prefix", Closed(lambda n, f, s: Shape((range(f["p"]),)))),
        ("window", Closed(CLOSED["window"].layer, CLOSED["window-causal"].context)),
    ],
)
def test_a_false_formula_is_noticed(
    monkeypatch: pytest.MonkeyPatch, name: str, form: Closed
) -> None:
    """Otherwise the comparison above cannot fail: planted, a group that is too small, one that is
    too large, one without its deeper context, and one of another scheme."""
    monkeypatch.setitem(CLOSED, name, form)
    assert any(mismatch(name, n, options) for n, options in cases(name))


def test_generators_are_compared_with_the_definition_at_the_size_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise a formula that is false at large n alone is printed there."""
    monkeypatch.setitem(CLOSED, "causal", CLOSED["alibi"])
    with pytest.raises(EngineError, match="the formula's group changes row 1"):
        closed_forms.answer("causal", 2000, Options())
    monkeypatch.setitem(CLOSED, "learned", CLOSED["alibi"])
    with pytest.raises(EngineError, match="the formula's group changes row 1"):
        closed_forms.answer("learned", 2000, Options())


@pytest.mark.parametrize(
    ("name", "options", "called", "order"),
    [
        ("none", Options(), "S_2000", "2000!"),
        ("alibi", Options(), "Z_2 (reversal)", "2"),
        ("window", Options(window=64), "Z_2 (reversal)", "2"),
        ("window", Options(window=1200), "S_402 × Z_2", "2 · 402!"),
        ("prefix", Options(prefix=100), "S_100", "100!"),
        ("blocks", Options(blocks=(4,) * 500), "S_4 ≀ S_500", "4!^500 · 500!"),
        ("blocks-causal", Options(blocks=(4,) * 500), "S_500", "500!"),
        ("circulant", Options(), "C_2000", "2000"),
        ("circulant-even", Options(), "D_2000", "4000"),
        ("rope", Options(), "trivial", "1"),
    ],
)
def test_large_sizes_have_names(name: str, options: Options, called: str, order: str) -> None:
    """Otherwise a group at large n has another order than its name says, or none."""
    found, _, _ = closed_forms.answer(name, 2000, options)
    assert names.name(found.layer) == called and found.layer.formula == order
    assert math.prod(powers(found.layer)) == found.layer.order
    assert not found.layer.proved and not found.layer.open


@pytest.mark.parametrize(
    ("name", "n", "message"),
    [
        ("relative-2d", 2000, "expected at most 1024 \\(there is no formula\\)"),
        ("alibi", 10**6, "expected at most 65536"),
        ("blocks", 2001, "does not part into blocks of 2"),
        ("circulant-even", 10_000, "too many to list"),
        ("aliby", 2000, "nearest: alibi"),
    ],
)
def test_what_has_no_formula_is_refused(name: str, n: int, message: str) -> None:
    """Otherwise a size without an answer ends in a traceback, or fills the memory."""
    with pytest.raises(MatrixError, match=message):
        closed_forms.answer(name, n, Options())
