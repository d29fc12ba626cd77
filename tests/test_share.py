"""Every run of CI draws its share of the slow tests, and other runs draw others."""

from tests.share import is_drawn

NAMES = [f"tests/test_{k}.py::test" for k in range(400)]


def test_every_test_is_drawn_by_some_seed() -> None:
    """A slow test would never be run, or CI would always run the same ones."""
    drawn = [{n for n in NAMES if is_drawn(n, str(seed), 8)} for seed in range(60)]
    assert set().union(*drawn) == {*NAMES} and len({*map(frozenset, drawn)}) == 60
    assert all(20 < len(d) < 90 for d in drawn)


def test_without_a_share_all_are_drawn() -> None:
    """`make test-all` would leave some out."""
    assert all(is_drawn(n, "", 1) for n in NAMES)
