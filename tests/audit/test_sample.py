"""A sample of the audit: as large as it was given, alike for one seed, most of what is new."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orderproof.audit import judge as audit
from orderproof.audit.sample import sample

GROUPS = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=20, unique=True)


@given(GROUPS, st.integers(0, 100), st.text(max_size=3), st.data())
def test_no_more_than_asked_for(
    groups: list[str], most: int, seed: str, data: st.DataObject
) -> None:
    """A sample would take longer than was asked for, or leave out what is new."""
    audited = data.draw(st.sets(st.sampled_from(groups)))
    counts = sample(groups, most, seed, audited).counts
    assert sum(counts.values()) == most and counts.keys() == {*groups}
    new, old = ([counts[g] for g in groups if (g in audited) is known] for known in (False, True))
    assert sum(new) >= sum(old) or not new
    assert all(count <= 2 for count in old) or not new
    assert all(max(some) - min(some) <= 1 for some in (new, old) if some)


def test_each_seed_draws_its_own() -> None:
    """Each run would look at the same falsehoods for ever, or no two runs of one commit alike."""
    first, again, other = (
        sample(["one", "two"], 6, seed).of("one", range(1000)) for seed in ("a", "a", "b")
    )
    assert first == again == sorted(first) != other and len({*first}) == 3
    assert sample(["one"], 6, "").of("one", "abc") == ["a", "b", "c"]
    assert sample(["one"], 6, "").of("another", "abc") == []


def test_a_sample_is_a_part_of_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn would be judged otherwise than in the whole audit, or the whole be judged."""
    monkeypatch.setattr(audit, "mutated_obligations", lambda: [])
    names = ["perm_transpose_mul"]
    every, few = (
        audit.audit(names, 1),
        audit.audit(names, 1, part=sample(audit.groups(names), 9, "a")),
    )
    assert {*map(str, few)} < {*map(str, every)} and 4 <= len(few) <= 9
