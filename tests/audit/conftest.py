"""The laws that falsehoods are planted among: those of one theorem, or of the whole catalogue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from orderproof.audit import laws as audit_obligations
from orderproof.proofs.catalogue import IDS

FEW = ("not_invariant_self_attention",)  # three laws, with changes of every kind


@pytest.fixture
def few_laws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The laws behind the chains of one theorem: those of all take seconds to be made."""
    yield from _laws_of(FEW, monkeypatch)


@pytest.fixture(params=[FEW, pytest.param(IDS, marks=pytest.mark.slow)], ids=["few", "all"])
def behind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The laws behind the chains of one theorem, and behind those of all."""
    yield from _laws_of(request.param, monkeypatch)


def _laws_of(names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(audit_obligations, "IDS", names)
    audit_obligations.laws.cache_clear()
    yield
    audit_obligations.laws.cache_clear()
