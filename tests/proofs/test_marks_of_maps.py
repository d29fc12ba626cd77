"""Marks of claims with maps, places and hypotheses about indices: which models are looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orderproof.proofs import marks, marks_numeric, naturality
from orderproof.proofs.claims import Claim
from orderproof.proofs.vocabulary import sigma
from orderproof.symbolic.language import moved
from orderproof.symbolic.terms import Term


def claim(conclusion: str) -> Claim:
    """A claim of naturality by the name of its tensor."""
    terms = {"x": naturality.x, "T": naturality.T, "H": naturality.H}
    return next(c for c in naturality.theorem().claims if c.rhs.node in _both(terms[conclusion]))


def _both(t: Term) -> list[object]:
    return [t.node, moved(t, i=sigma).node if "i" in t.axes else None]


def test_only_models_that_satisfy_the_hypotheses() -> None:
    """σ(q) = q or σ∘τ = τ∘σ would be ignored, so that a true claim fails, or nothing is left."""
    selected = claim("x")
    places = [m for _, m in marks.small_models(selected)]
    assert places and all(m["sigma"][m["q"]] == m["q"] for m in places)
    assert any(m["sigma"] != tuple(range(len(m["sigma"]))) for m in places)
    free = [m for _, m in marks.small_models(replace(selected, hyps=frozenset()))]
    assert len(free) > len(places)
    inner = [m for _, m in marks.small_models(claim("T"))]
    for m in inner:
        assert [m["sigma"][k] for k in m["tau"]] == [m["tau"][k] for k in m["sigma"]]
    assert any(m["sigma"] != m["tau"] for m in inner)


def test_other_maps_are_not_one_alone() -> None:
    """A gather would be looked at for a constant map only."""
    tables = {tuple(m["g"]) for s, m in marks.small_models(claim("H")) if s["n"] == s["m"] == 3}
    assert tables == {(0, 0, 0), (0, 1, 2), (2, 1, 0)}


def test_no_model_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hypotheses that nothing drawn satisfies would count as a check that was made."""
    monkeypatch.setattr(marks_numeric, "admitted", lambda *_: False)
    monkeypatch.setattr(marks_numeric, "DRAWS", 10)
    with pytest.raises(ValueError, match="no maps that satisfy"):
        marks_numeric.by_numpy()(claim("x"))


def test_bounded_check_says_its_bound() -> None:
    """A check of small sizes would claim what the full one does, or accept what it has not seen."""
    selected = claim("x")
    ok, detail = marks.by_sympy_within(2, 1)(selected)
    assert ok and "to size 2" in detail and "n = 8" not in detail
    assert marks.by_sympy_within(0, 0)(selected) == (None, "no case was checked")
    assert marks.by_sympy_within(2, 1)(replace(selected, hyps=frozenset()))[0] is False
