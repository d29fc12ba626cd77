"""What two marks share is told by the imports, and the families of evaluators stay apart."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from orderproof.proofs.check.claims import holds
from orderproof.proofs.marks import sympy_entries as marks
from orderproof.proofs.marks.numeric import by_numpy
from orderproof.proofs.marks.sympy_entries import by_sympy
from orderproof.proofs.prove import shared_code, trust_page
from orderproof.proofs.prove.shared_code import EVALUATED_BY, NOT_COUNTED, Shared, reached, rows
from orderproof.proofs.prove.trust import MARKS
from orderproof.symbolic.models.builders import inverse, moved
from tests.proofs.judged import ok
from tests.symbolic.readings.test_families import X, plant_in_arrays, plant_in_entries, σ

FAMILIES = {
    "entries": ("symbolic.readings.sympy_entries", "symbolic.readings.z3_reals"),
    "questions": ("symbolic.smt.chain",),
    "arrays": ("symbolic.readings.exact", "numeric.rounding"),
    "replay": (
        "symbolic.witness.replay",
        "symbolic.witness.group_replay",
    ),
    "kernel": ("symbolic.calculus.kernel",),
}


def test_each_mark_has_its_evaluators() -> None:
    """A mark would be left out of the table, or be said to be evaluated by a file that is gone."""
    assert set(EVALUATED_BY) == {mark.name for mark in MARKS}
    for module in (*(m for modules in EVALUATED_BY.values() for m in modules), *NOT_COUNTED):
        assert (shared_code.ROOT / f"{module.replace('.', '/')}.py").is_file(), module


@pytest.mark.parametrize("one, other", [*combinations(FAMILIES, 2)])
def test_families_share_the_terms_alone(one: str, other: str) -> None:
    """An error in the index arithmetic of one family would be an error in another."""
    both = reached(FAMILIES[one])[0] & reached(FAMILIES[other])[0]
    assert both <= set(NOT_COUNTED)


def test_sympy_and_numeric_share_nothing_that_evaluates() -> None:
    """One error could turn both of them green, and the table would not say so."""
    found = {row.marks: row.files for row in rows()}
    assert found["sympy", "interval"] == ("symbolic/readings/entries.py",)
    assert ("sympy", "numeric") not in found and ("sympy", "exact") not in found
    planted = {**EVALUATED_BY, "numeric": ("numeric.rounding", "symbolic.readings.entries")}
    again = {row.marks: row.files for row in rows(planted)}
    assert again["sympy", "numeric"] == ("symbolic/readings/entries.py",)


SOURCES = {
    "symbolic/a.py": "from __future__ import annotations\nimport json\nfrom .b import thing\n",
    "symbolic/b.py": "from . import c\nfrom .a import other\n",
    "symbolic/c.py": "def f():\n    from ..numeric.d import g\n    import numpy.linalg\n",
    "numeric/d.py": "from orderproof.symbolic import e\nimport orderproof.proofs.f as f\n",
    "symbolic/e.py": "from mpmath.libmp import x\n",
    "proofs/f.py": "",
    "proofs/g.py": "import orderproof.symbolic.e\nfrom orderproof.proofs import nothing\n",
}


def test_imports_are_followed(tmp_path: Path) -> None:
    """An import would be missed: relative, of a module by name, in a function, or by way of another
    file; and two marks be said to share nothing."""
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    modules, libraries = reached(("symbolic.a",), tmp_path)
    assert modules == {f"symbolic.{x}" for x in "abce"} | {"numeric.d", "proofs.f"}
    assert libraries == {"numpy", "mpmath"}
    assert reached(("proofs.g",), tmp_path) == ({"proofs.g", "symbolic.e"}, {"mpmath"})
    assert reached(("symbolic.e",), tmp_path) == ({"symbolic.e"}, {"mpmath"})


def test_the_page_prints_what_is_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table would be typed, and stay as it is when the code changes."""
    file = "symbolic/readings/entries.py"
    assert f"| sympy and interval | [{file}](../{file}) |  |" in page()
    row = Shared(("sympy", "numeric"), ("symbolic/new.py",), ("numpy",))
    monkeypatch.setattr(shared_code, "rows", lambda: [row])
    assert "| sympy and numeric | [symbolic/new.py](../symbolic/new.py) | numpy |" in page()
    assert "sympy and interval" not in page()


def page() -> str:
    """The trust page without theorems."""
    return trust_page.markdown([])


@pytest.mark.parametrize(
    ("plant", "sympy", "numeric"),
    [(None, False, False), (plant_in_entries, True, False), (plant_in_arrays, False, True)],
)
def test_no_error_turns_both_marks_green(
    plant: Any, sympy: bool, numeric: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """σ read for σ⁻¹ would prove that X moved by the one is X moved by the other, twice."""
    monkeypatch.setattr(marks, "KNOWN", {})  # entries that were evaluated without the error
    if plant:
        plant("inverse", monkeypatch)
    claim = holds(moved(X, i=inverse(σ)), "=", moved(X, i=σ), {})
    assert (ok(by_sympy, claim), ok(by_numpy(), claim)) == (sympy, numeric)
