"""Replaying a counterexample: true ones are confirmed, and every falsehood is refuted."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import pytest

from orderproof.replay_file import replay_file
from orderproof.symbolic.counting import JSON
from orderproof.symbolic.readings.error import ReadingError
from orderproof.symbolic.readings.interval import Intervals, ends
from orderproof.symbolic.readings.rationals import Exact, power_of_two
from orderproof.symbolic.schemes.table_counterexample import both, in_units
from orderproof.symbolic.schemes.table_search import search
from orderproof.symbolic.schemes.tables import scheme
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.replay import check, sides
from orderproof.symbolic.witness.scheme_file import PositionWitness, dumps, parse
from tests.symbolic.witness.test_scheme_file import BY_HAND, column, exactly, one, sinusoidal


def cycle() -> PositionWitness:
    """A witness under the 3-cycle σ = [1, 2, 0], which is not its own inverse."""
    found = search("learned", 3, 2, sigma=[1, 2, 0]).witness
    assert found is not None
    return found


def weighing(w: PositionWitness, **weights: Any) -> PositionWitness:
    """The witness with other weights."""
    return replace(w, layers=({**w.layers[0], **weights},))


def saved(w: PositionWitness, path: Path) -> Path:
    """The file of a witness."""
    path.write_text(dumps(w), encoding="utf-8")
    return path


def true_by_the_term(w: PositionWitness) -> bool:
    """The same question put to the term itself, through its own readings and not the replay's."""
    intervals = Intervals()
    tensors: dict[str, Callable[..., Any]] = {
        name: (lambda *i, rows=rows: rows[i[0] if len(i) == 2 else 0][i[-1]])
        for name, rows in w.tensors.items()
    }
    algebra: Any = in_units(Exact(), power_of_two)
    if w.kind == "interval":
        algebra, entry = intervals, scheme(w.scheme).entry
        assert entry is not None
        tensors = {k: (lambda *i, t=t: algebra.number(t(*i))) for k, t in tensors.items()}
        tensors["E"] = lambda i, k: algebra.sinusoid(entry(i, k, w.d)[0], i, entry(i, k, w.d)[1])
    try:
        lhs, rhs = both(scheme(w.scheme), w.n, w.d, w.sigma, tensors, algebra)
    except ReadingError:
        return False
    for entries, recorded in ((lhs, w.lhs), (rhs, w.rhs)):
        for (i, k), v in entries.items():
            low, high = ends(v) if w.kind == "interval" else (v, v)
            if not recorded[i][k][0] <= low <= high <= recorded[i][k][1]:
                return False
    (a, b), (c, d) = (side[w.differ[0]][w.differ[1]] for side in (w.lhs, w.rhs))
    return b < c or d < a


def test_a_witness_worked_by_hand(tmp_path: Path) -> None:
    """The replay would not compute attention: 1 and 32/17 come from pencil and paper."""
    outcome = replay_file(saved(BY_HAND, tmp_path / "w.json"))
    assert (outcome.ok, outcome.status, outcome.witness) == (True, "ok", BY_HAND)
    assert sides(BY_HAND) == (exactly(1, Fraction(32, 17)), exactly(1, 1))


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_sines_worked_in_floats(n: int, d: int) -> None:
    """The enclosures would enclose something else: here the same sums in 50 digits."""
    w = search("sinusoidal", n, d).witness
    assert w is not None
    with mpmath.workdps(50):
        # Feature 0 is all that the projections let through.
        table = [mpmath.sin(i) for i in range(n)]
        x = [[int(v) for v in row] for row in w.tensors["X"]]
        for rows, recorded in (([x[s] for s in w.sigma], w.lhs), (x, w.rhs)):
            h = [a[0] + b for a, b in zip(rows, table, strict=True)]
            for i in range(n):
                at = i if recorded is w.lhs else w.sigma[i]
                weights = [mpmath.exp(h[at] * v / mpmath.sqrt(d)) for v in h]
                value = mpmath.fdot(weights, h) / sum(weights)
                low, high = (mpmath.mpf(e.numerator) / e.denominator for e in recorded[i][0])
                assert low <= value <= high <= low + mpmath.mpf("1.1e-20")


@pytest.mark.parametrize("name", ["learned", "sinusoidal"])
def test_replay_and_term_agree(name: str) -> None:
    """The replay's evaluator would be wrong beyond the sparse witnesses of the search: features of
    all frequencies, dense weights, a rectangular X; each beside the readings of the term."""
    random = Random(5)

    def rows(n: int, d: int) -> Any:
        return tuple(tuple(Fraction(random.randint(-1, 1)) for _ in range(d)) for _ in range(n))

    for n, d in ((2, 3), (3, 4), (4, 2)):
        x, layer = rows(n, d), {w: rows(d, d) for w in ("W_Q", "W_K", "W_V")}
        table = dict(zip(map(str, range(n)), rows(n, d), strict=True)) if name == "learned" else {}
        sigma = (*range(1, n), 0)
        blank = PositionWitness(
            name, {}, "layer", 1, n, d, sigma, table, x, (layer,), (), (), (0, 0)
        )
        lhs, rhs = sides(blank)
        unit = Fraction(1, 10**30) if name == "sinusoidal" else 0
        wider = [tuple(tuple((a - unit, b + unit) for a, b in r) for r in s) for s in (lhs, rhs)]
        assert wider[0] != wider[1]
        for i in range(n):
            for k in range(d):
                w = replace(blank, lhs=wider[0], rhs=wider[1], differ=(i, k))
                apart = lhs[i][k][1] < rhs[i][k][0] or rhs[i][k][1] < lhs[i][k][0]
                assert true_by_the_term(w) == apart
        swapped = replace(blank, lhs=wider[1], rhs=wider[0], differ=(0, 0))
        assert not true_by_the_term(swapped)


def test_a_value_altered_anywhere_is_refuted() -> None:
    """A recorded value could be changed by one unit without the replay noticing."""
    for w in (BY_HAND, cycle(), sinusoidal()):
        step = Fraction(1, 10**20)
        for side in ("lhs", "rhs"):
            for i in range(w.n):
                for sign in (-1, 1):
                    rows = [list(row) for row in getattr(w, side)]
                    rows[i][0] = tuple(end + sign * step for end in rows[i][0])
                    outcome = check(replace(w, **{side: tuple(map(tuple, rows))}))
                    assert outcome.status == "refuted" and f"{side}[{i}][0]" in outcome.reason


def test_enclosures_must_be_narrow() -> None:
    """A file could record enclosures so wide that they say nothing, or with only one true end."""
    w, step = sinusoidal(), Fraction(2, 10**20)
    ((low, high),) = w.lhs[0]
    for pair in ((low - step, high), (low, high + step), (high, high), (low, low)):
        assert not check(replace(w, lhs=((pair,), w.lhs[1]))).ok


def test_sides_that_agree_are_refuted() -> None:
    """A file could name a place where both sides are the same, or have no such place at all."""
    assert "agree in row 0" in check(replace(BY_HAND, differ=(0, 0))).reason
    zero = weighing(BY_HAND, W_V=one(0))
    assert "agree" in check(replace(zero, lhs=exactly(0, 0), rhs=exactly(0, 0))).reason


def test_without_positions_nothing_is_confirmed() -> None:
    """A theorem would be refuted: with equal rows no tensors make the sides differ."""
    random = Random(2)
    for name in ("none", "constant"):
        for _ in range(20):
            table = {} if name == "none" else {"0": (Fraction(random.randint(-2, 2)),)}
            x = column(*(random.randint(-2, 2) for _ in range(3)))
            layer = {w: one(random.randint(-2, 2)) for w in ("W_Q", "W_K", "W_V")}
            w = PositionWitness(
                name, {}, "layer", 1, 3, 1, (1, 2, 0), table, x, (layer,), (), (), (0, 0)
            )
            lhs, rhs = sides(w)
            assert lhs == rhs and not check(replace(w, lhs=lhs, rhs=rhs)).ok


def test_inverse_permutation_is_refuted() -> None:
    """(PX)_i = X_σ(i) could be read as its inverse: only a 3-cycle tells them apart."""
    w = cycle()
    inverse = (2, 0, 1)
    outcome = check(replace(w, sigma=inverse))
    assert outcome.status == "refuted" and "lhs" in outcome.reason
    assert not true_by_the_term(replace(w, sigma=inverse))
    assert sides(w)[0] != sides(replace(w, sigma=inverse))[0]


def test_scores_must_be_integer_multiples() -> None:
    """2^(1/2) would be rounded, or 2^(10^30) computed for ever."""
    for q in (Fraction(1, 3), Fraction(10**29)):
        assert "m·ln 2" in check(weighing(BY_HAND, W_Q=one(q))).reason
    assert "4096" in check(weighing(sinusoidal(), W_Q=one(10**29))).reason


@pytest.mark.parametrize(
    ("make", "count"),
    [(lambda: BY_HAND, 600), (cycle, 300), (sinusoidal, 300),
     *(pytest.param(x, 2000, marks=pytest.mark.slow) for x in (cycle, sinusoidal))],
)  # fmt: skip
def test_corrupted_files(make: Callable[[], PositionWitness], count: int, tmp_path: Path) -> None:
    """A damaged file would crash the replay, or be confirmed although it says something false."""
    witness = make()
    text = dumps(witness).encode()
    random, target = Random(7), tmp_path / "w.json"
    damaged = [text[:cut] for cut in random.sample(range(len(text)), count // 10)]
    for _ in range(count):
        at, data = random.randrange(len(text)), bytearray(text)
        data[at] = random.choice((random.randrange(256), *b"0123456789-/"))
        damaged.append(bytes(data))
    seen = {"unread": 0, "refuted": 0}
    for data in damaged:
        target.write_bytes(data)
        try:
            outcome = replay_file(target)
        except WitnessError as e:
            seen["unread"] += 1
            assert str(e).isprintable()
            continue
        if not outcome.ok:
            seen["refuted"] += 1
        elif outcome.witness != witness:  # an entry that the sides do not depend on
            found = outcome.witness
            assert isinstance(found, PositionWitness) and true_by_the_term(found)
            assert found.says(JSON) == witness.says(JSON)
            same = replace(found, x=witness.x, table=witness.table, layers=witness.layers)
            assert same == witness
    assert min(seen.values()) > 5  # the damage reached the reader and the evaluator


def test_the_reference_of_the_corruption_test_can_fail() -> None:
    """The term's own verdict would call everything true, and the test above would mean nothing."""
    assert true_by_the_term(cycle()) and true_by_the_term(sinusoidal())
    assert not true_by_the_term(replace(BY_HAND, lhs=exactly(1, 2)))
    assert not true_by_the_term(replace(sinusoidal(), rhs=sinusoidal().lhs))
    assert not true_by_the_term(replace(BY_HAND, differ=(0, 0)))


def test_loads_no_solver(tmp_path: Path) -> None:
    """Replaying would need the solver that found the witness, or share its code."""
    files = [saved(BY_HAND, tmp_path / "w.json"), saved(sinusoidal(), tmp_path / "s.json")]
    code = (
        "import sys; from orderproof.replay_file import replay_file\n"
        "print([replay_file(f).ok for f in sys.argv[1:]])\n"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in "
        "('orderproof', 'z3', 'sympy', 'numpy', 'cvc5', 'mpmath', 'click')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *files], capture_output=True, text=True, check=True
    )
    modules = ("arithmetic", "fields", "group_file", "group_replay", "model_file", "questions",
               "replay", "scheme_file")  # fmt: skip
    witness = (".witness", *(f".witness.{m}" for m in modules))
    own = (".counting", ".strict_json", *witness)
    ours = ["orderproof", "orderproof.input_file", "orderproof.replay_file"]
    ours += [f"orderproof.symbolic{m}" for m in ("", *own)]
    assert done.stdout.splitlines() == ["[True, True]", str(ours)]


def test_a_file_about_a_plan_is_refused(tmp_path: Path) -> None:
    """Who kept such a file would be told that it is no counterexample, and not what serves."""
    file = tmp_path / "plan.json"
    file.write_text('{"format": "orderproof-plan-counterexample", "version": 1}')
    with pytest.raises(WitnessError, match="plans were removed: symmetry --mask FILE --out DIR"):
        replay_file(file)


def test_hostile_file_of_full_size_is_quick() -> None:
    """A small file could keep the replay busy for ever: n = d = 64 with long fractions."""
    big = [[str(10**29 + i * 64 + k) for k in range(32)] for i in range(32)]
    data = json.loads(dumps(BY_HAND))
    data |= {"n": 32, "d": 32, "sigma": [1, 0, *range(2, 32)]}
    data |= {"X": big, "table": {str(i): row for i, row in enumerate(big)}}
    data["layers"] = [dict.fromkeys(("W_Q", "W_K", "W_V"), big)]
    data["lhs"] = data["rhs"] = [["0"] * 32] * 32
    data["claim"] = replace(BY_HAND, n=32, d=32, sigma=tuple(data["sigma"])).says(JSON)
    assert not check(parse(json.dumps(data).encode(), "big")).ok
