"""Plans of prompts: what may be reordered, against a model in floats that is run in both orders."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from orderproof.numeric.groups.exact_matrix import MatrixError
from orderproof.numeric.prompts import layout
from orderproof.numeric.prompts.layout import Laid, lay, readings
from orderproof.numeric.prompts.plan_search import search
from orderproof.symbolic.counting import JSON, PEOPLE
from orderproof.symbolic.schemes.definitions import bucket
from orderproof.symbolic.witness import plan_replay
from orderproof.symbolic.witness.fields import WitnessError
from orderproof.symbolic.witness.plan import SCHEMES, Plan, plan_of
from orderproof.symbolic.witness.plan_file import dumps, parse

Floats = NDArray[np.float64]


def documents(scheme: str, **changes: dict[str, Any]) -> Plan:
    """Two documents after a system prompt, in parallel, and a query; with segments changed."""
    made = [
        {"name": "sys", "length": 1, "start": 0, "attends": []},
        {"name": "A", "length": 2, "start": 1, "attends": ["sys"]},
        {"name": "B", "length": 3, "start": 1, "attends": ["sys"]},
        {"name": "q", "length": 1, "start": 4, "attends": ["sys", "A", "B"]},
    ]
    segments = [s | changes.get(str(s["name"]), {}) for s in made]
    return plan_of({"scheme": scheme, "segments": segments})


def harmless(plan: Plan, a: str = "A", b: str = "B") -> list[bool]:
    """Whether the two may be swapped, by depth."""
    return [(a, b) not in r.changed for r in readings(plan)]


def run(plan: Plan, laid: Laid, depth: int) -> Floats:
    """The output of the token that reads after layers with skips, in floats, with random weights:
    tokens in the order of the plan, ids and mask as laid."""
    rng = np.random.default_rng(7)
    n, d = len(laid.ids), 4
    x = rng.normal(size=(n, d))
    weights = rng.normal(size=(depth, 3, d, d)) * 0.3
    table, buckets = rng.normal(size=(60, d)), rng.normal(size=32)
    turns = rng.normal(size=2)
    offset = laid.ids - laid.ids[:, None]
    if plan.scheme in ("learned", "sinusoidal"):
        x = x + table[laid.ids]
    bias = np.zeros((n, n))
    if plan.scheme == "alibi":
        bias = -0.3 * abs(offset)
    elif plan.scheme == "alibi-signed":
        bias = 0.3 * offset
    elif plan.scheme == "t5":  # all distances here lie below 8, each a bucket of its own
        bias = buckets[abs(offset) + 16 * (offset > 0)]
    elif plan.scheme == "t5-causal":
        bias = buckets[np.maximum(-offset, 0)]
    for w_q, w_k, w_v in weights:
        q, k = x @ w_q, x @ w_k
        scores = q @ k.T + bias
        if plan.scheme.startswith("rope"):
            turned = turns if plan.scheme == "rope" else turns * [1, 0]
            a, b = (rotated(v, laid.ids, turned) for v in (q, k))
            scores = a @ b.T
        elif plan.scheme == "shaw":
            scores = scores + np.einsum(
                "ic,ijc->ij", q, table[np.clip(offset, -plan.clip, plan.clip)]
            )
        scores = np.where(laid.allowed, scores, -np.inf)
        a = np.exp(scores - scores.max(axis=1, keepdims=True))
        x = x + a / a.sum(axis=1, keepdims=True) @ x @ w_v
    return x[len(x) - plan.segments[-1].length + plan.reader if plan.reader >= 0 else -1]


def rotated(v: Floats, ids: NDArray[np.int64], turns: Floats) -> Floats:
    """Pairs of features turned by the position."""
    z = (v[:, :2] + 1j * v[:, 2:]) * np.exp(1j * ids[:, None] * turns)
    return np.concatenate([z.real, z.imag], axis=1)


def random_plan(seed: int, *, options: bool = False) -> Plan:
    """Three short segments and a query, each rule of ids and attention taken by chance; or with a
    window and sinks, padding, a clip, and another token that reads."""
    rng = np.random.default_rng(seed)
    names = ["A", "B", "C"]
    segments: list[dict[str, Any]] = []
    for name in [*names, "q"]:
        length = int(rng.integers(1, 3)) if name != "q" else 1
        starts = [0, 0, 1, "continue", "longest"]
        others = [o for o in names if o != name and rng.random() < (0.9 if name == "q" else 0.3)]
        segments.append({
            "name": name, "length": length, "start": starts[int(rng.integers(5))],
            "attends": "earlier" if rng.random() < 0.15 else others,
            "causal": bool(rng.random() < 0.5),
        })  # fmt: skip
    data: dict[str, Any] = {"scheme": SCHEMES[seed % len(SCHEMES)], "segments": segments}
    if options:
        data |= {"window": int(rng.integers(0, 4))} if rng.random() < 0.6 else {}
        data |= {"sinks": int(rng.integers(0, 2))} if "window" in data else {}
        data |= {"clip": int(rng.integers(0, 4))} if data["scheme"] == "shaw" else {}
        segments[-1]["length"] = 2
        data |= {"reader": int(rng.integers(0, 2))} if rng.random() < 0.7 else {}
        if rng.random() < 0.3:
            segments[0] |= {"padding": True, "attends": []}
            for s in segments[1:]:
                s["attends"] = [x for x in s["attends"] if x != "A"] if s["attends"] != "earlier" \
                    else "earlier"  # fmt: skip
    return plan_of(data)


@pytest.mark.parametrize("options", [False, True])
@pytest.mark.parametrize(
    ("count", "least"), [(60, 60), pytest.param(240, 300, marks=pytest.mark.slow)]
)
def test_swaps_agree_with_a_model_in_floats(options: bool, count: int, least: int) -> None:
    """Otherwise a swap is called harmless that changes the output at that depth, or the reverse."""
    counts = {True: 0, False: 0}
    for seed in range(count):
        plan = random_plan(seed, options=options)
        here = lay(plan, plan.segments)
        reach = layout._reach(plan, here)
        for a, b in itertools.combinations(range(3), 2):
            order = list(plan.segments)
            order[a], order[b] = order[b], order[a]
            there = lay(plan, order)
            assert_same_places(plan, order, there)
            for depth in (1, 2, 3):
                said = layout.difference(plan, here, there, reach, depth)
                gap = np.abs(run(plan, here, depth) - run(plan, there, depth)).max()
                assert (said is None) == (gap < 1e-11), (plan, order, depth, said, gap)
                counts[said is None] += 1
    assert min(counts.values()) > least


def assert_same_places(plan: Plan, order: list[Any], laid: Laid) -> None:
    """The replay's own account of the order gives the same ids and mask."""
    ids, reads = plan_replay.laid(plan, [s.name for s in order])
    assert ids == laid.ids.tolist()
    assert [sorted(r) for r in reads] == [np.flatnonzero(row).tolist() for row in laid.allowed]


@pytest.mark.parametrize(
    ("count", "least"), [(50, 50), pytest.param(180, 300, marks=pytest.mark.slow)]
)
def test_every_order_agrees_with_a_model_in_floats(count: int, least: int) -> None:
    """Otherwise an order is called harmless that changes the output, or is not named though it
    changes nothing: all orders of the segments, at the depths that are reported."""
    counts = {True: 0, False: 0, "others": 0}
    for seed in range(count):
        plan = random_plan(seed)
        here = lay(plan, plan.segments)
        names = [s.name for s in plan.segments]
        for r in readings(plan):
            assert r.others is not None
            said = set(r.others) | ({tuple(names[:-1])} if not r.all_orders else set())
            if r.all_orders:
                sets = [[names.index(x) for x in free] for free in r.free]
                of_sets = layout._orders_of(len(names) - 1, sets)
                said |= {tuple(names[k] for k in order) for order in of_sets}
            for s in itertools.permutations(plan.segments[:-1]):
                there = lay(plan, [*s, plan.segments[-1]])
                gap = np.abs(run(plan, here, r.depth) - run(plan, there, r.depth)).max()
                if r.all_orders:
                    assert (tuple(x.name for x in s) in said) == (gap < 1e-11), (plan, s, r, gap)
                counts[bool(gap < 1e-11)] += 1
            counts["others"] += len(r.others)
    assert counts[True] > least and counts[False] > least and counts["others"] > 0


def test_an_order_beyond_swaps_is_found() -> None:
    """Otherwise an order that is harmless though none of its swaps is goes unsaid: before X stand
    three tokens, of D and E or of F."""
    lengths = {"D": 2, "E": 1, "X": 1, "F": 3}
    made = [{"name": k, "length": v, "attends": []} for k, v in lengths.items()]
    query = {"name": "q", "length": 1, "start": 9, "attends": ["X"]}
    (found,) = {
        r.others for r in readings(plan_of({"scheme": "learned", "segments": [*made, query]}))
    }
    assert found is not None and set(found) == {("F", "X", "D", "E"), ("F", "X", "E", "D")}


@pytest.mark.slow
@pytest.mark.parametrize("options", [False, True])
def test_swaps_that_change_have_a_witness_that_is_replayed(options: bool) -> None:
    """Otherwise a hypothesis that fails has no tokens and weights that show it, at some depth or
    for some scheme; or what the file says is not what was found."""
    found = dict.fromkeys(SCHEMES, 0)
    for seed in range(90):
        plan = random_plan(seed, options=options)
        names = [s.name for s in plan.segments]
        for r in readings(plan):
            for a, b in itertools.combinations(names[:-1], 2):
                order = [{a: b, b: a}.get(name, name) for name in names]
                replayed = search(plan, order, r.depth)
                assert (replayed is not None) == ((a, b) in r.changed), (plan, order, r.depth)
                if replayed is not None:
                    assert replayed.ok
                    text = dumps(replayed.witness)
                    assert parse(text.encode(), "w") == replayed.witness
                    found[plan.scheme] += 1
    assert min(found.values()) > 2, found


def test_a_plan_witness_of_nothing_is_refuted() -> None:
    """Otherwise any file of tokens and weights passes: a harmless order, weights that are 0, a
    table without a row that is asked for, a score that is no multiple of ln 2."""
    plan = documents("rope", B={"start": "continue"})
    replayed = search(plan, ["sys", "B", "A", "q"], 1)
    assert replayed is not None
    w = replayed.witness
    assert plan_replay.check(w).ok
    assert not plan_replay.check(replace(w, order=("sys", "A", "B", "q"))).ok
    assert not plan_replay.check(replace(w, plan=documents("rope"))).ok
    nothing = tuple(dict.fromkeys(layer, ((Fraction(0),) * 2,) * 2) for layer in w.layers)
    assert not plan_replay.check(replace(w, layers=nothing)).ok
    learned = search(documents("learned", B={"start": "continue"}), ["sys", "B", "A", "q"], 1)
    assert learned is not None
    assert "no row" in plan_replay.check(replace(learned.witness, table={})).reason
    half = tuple(dict.fromkeys(layer, ((Fraction(1, 3),) * 2,) * 2) for layer in w.layers)
    assert "multiple" in plan_replay.check(replace(learned.witness, layers=half)).reason


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 1', '"version": 3', "version: given 3"),
        ('"kind": "interval"', '"kind": "exact"', "kind: given 'exact'"),
        ('"depth": 1', '"depth": 2', "layers: given"),
        ('"depth": 1', '"depth": 99', "depth: given 99"),
        ('"order": ["sys", "B"', '"order": ["sys", "sys"', "order: given"),
        ('"order": ["sys", "B"', '"order": ["B", "sys"', "order: given|claim: given"),
        ('"scheme": "rope"', '"scheme": "rope-partial"', "claim: given"),
        ('"scheme": "rope"', '"scheme": "ropes"', "nearest: rope"),
        ('"feature": ', '"feature": 7', "feature: given"),
        ('"table": {}', '"table": {"1": ["0"]}', "table: given"),
        ('"length": 2', '"length": 3', "X: given"),
        ('"length": 2', '"length": 900', "at most 256 tokens"),
    ],
)
def test_a_changed_plan_file_is_refused(old: str, new: str, message: str) -> None:
    """Otherwise a file that was changed by hand says one thing and is checked for another."""
    replayed = search(documents("rope", B={"start": "continue"}), ["sys", "B", "A", "q"], 1)
    assert replayed is not None
    text = dumps(replayed.witness)
    assert old in text
    with pytest.raises(WitnessError, match=message) as error:
        parse(text.replace(old, new, 1).encode(), "w.json")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_documents_in_parallel(scheme: str) -> None:
    """Otherwise blocks of unequal length with ids and masks of their own see their order."""
    for r in readings(documents(scheme)):
        assert ("A", "B") not in r.changed and r.all_orders
        assert any({"A", "B"} <= set(names) for names in r.free)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"B": {"start": "continue"}}, "offset"),
        ({"B": {"attends": "earlier"}}, "attends to"),
        ({"q": {"start": "continue"}}, "offset"),
    ],
)
def test_a_hypothesis_that_is_dropped_is_named(changes: dict[str, Any], said: str) -> None:
    """Otherwise documents that follow each other's ids, that attend to those before, or a query
    that stands after the last one's length, pass for parallel."""
    plan = documents("rope", **changes)
    assert not harmless(plan)[-1]
    assert said in readings(plan)[-1].changed["A", "B"](JSON)


def test_a_query_that_moves_is_seen_by_every_scheme_of_positions() -> None:
    """Otherwise ALiBi is said to take the common shift of all distances for a row constant: the
    query's distance to itself stays 0."""
    for scheme in SCHEMES:
        plan = documents(scheme, q={"start": "continue"})
        assert harmless(plan)[0] is (scheme == "none"), scheme


def test_far_offsets_share_their_bucket() -> None:
    """Otherwise ids that are far apart are told apart by T5, or near ones are not."""
    offsets = np.array([-900_000, -129, -128, -127, -9, -1, 0, 1, 7, 8, 127, 128, 900_000])
    buckets = [bucket(int(o), two_sided=True) for o in offsets]
    values = layout.BIASES["t5"](offsets, 2).tolist()
    assert len(set(zip(buckets, values, strict=True))) == len(set(buckets)) == len(set(values))


def test_depth_counts() -> None:
    """Otherwise what only a second layer sees is charged to the first."""
    plan = documents("none", A={"attends": "earlier"}, B={"attends": "earlier"})
    assert harmless(plan) == [True, False]


def test_every_order_of_a_set_is_tried() -> None:
    """Otherwise a set in which every single swap is harmless is called free in any order."""
    segments = [{"name": c, "length": 1, "attends": "earlier"} for c in "ABCDEFGH"]
    plan = plan_of({"scheme": "none", "segments": segments})
    first, *_, last = readings(plan)
    assert first.free == (tuple("ABCDEFG"),) and not first.all_orders  # too many to be tried
    assert last.free == ()
    own = [{"name": c, "length": 1, "start": 0, "attends": []} for c in "ABCDEFG"]
    query = {"name": "q", "length": 1, "start": 1, "attends": list("ABCDEFG")}
    found = readings(plan_of({"scheme": "rope", "segments": [*own, query]}))
    assert all(r.free == (tuple("ABCDEFG"),) and r.all_orders for r in found)


def parallel(count: int, **changes: dict[str, Any]) -> Plan:
    """So many documents in parallel after a system prompt that follows no one, and a query after
    the longest that sees all that is earlier."""
    own = {"length": 2, "start": 1, "attends": ["sys"]}
    made: list[dict[str, Any]] = [{"name": "sys", "length": 1}]
    made += [{"name": c} | own | {"length": 1 + k % 3} for k, c in enumerate("ABCDEFGH"[:count])]
    made += [{"name": "q", "length": 2, "start": "longest", "attends": "earlier"}]
    segments = [s | changes.get(str(s["name"]), {}) for s in made]
    return plan_of({"scheme": "rope", "segments": segments})


def test_many_documents_in_any_order() -> None:
    """Otherwise five or more documents are said to be swapped harmlessly where any order holds: the
    query's `longest` and `earlier` do not depend on the order of what has ids of its own."""
    for r in readings(parallel(7)):
        assert r.free == (tuple("ABCDEFG"),) and r.all_orders
    for changes in (
        {"q": {"start": "continue"}},  # after whichever document is the last
        {"D": {"start": "longest"}}, {"D": {"start": "continue"}},
        {"D": {"attends": "earlier"}},
    ):  # fmt: skip
        assert not layout._settled(parallel(7, **changes), range(1, 8)), changes
        found = readings(parallel(7, **changes))
        assert not any(r.all_orders for r in found if r.free == (tuple("ABCDEFG"),)), changes
        assert found[-1].free != (tuple("ABCDEFG"),), changes


def test_what_is_settled_lays_every_order_alike() -> None:
    """Otherwise ids or a mask that depend on the order are taken for independent of it, or none is
    ever found to be independent."""
    counts = {True: 0, False: 0}
    for seed in range(300):
        plan = random_plan(seed, options=bool(seed % 2))
        here = lay(plan, plan.segments)
        for among in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
            same = all(
                np.array_equal(here.ids, there.ids) and np.array_equal(here.allowed, there.allowed)
                for order in layout._orders_of(3, [among])
                for there in [lay(plan, [*(plan.segments[k] for k in order), plan.segments[-1]])]
            )
            settled = layout._settled(plan, among)
            assert same or not settled, (plan, among)
            counts[settled] += 1
    assert min(counts.values()) > 40, counts


def test_a_witness_of_a_long_prompt_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the replay computes every row of every layer, and turns every pair of tokens anew:
    minutes for a prompt of hundreds of tokens."""
    lengths = {"sys": 15, "A": 20, "B": 30, "q": 10}
    segments = [{"name": k, "length": v} for k, v in lengths.items()]
    plan = plan_of({"scheme": "rope", "segments": segments})
    asked = []
    whole = plan_replay.natural_weight
    monkeypatch.setattr(plan_replay, "natural_weight", lambda s, d: asked.append(s) or whole(s, d))
    plan_replay._exp.cache_clear()
    replayed = search(plan, ["sys", "B", "A", "q"], 2)
    assert replayed is not None and replayed.ok and replayed.witness.plan == plan
    assert 0 < len(asked) < plan.n * 20  # of plan.n² pairs in each order and layer


def test_what_is_not_needed_is_not_read() -> None:
    """Otherwise a row that the replay leaves out is one that the token that reads depends on."""
    reads = [{0}, {0, 1}, {2}, {1, 3}]
    assert plan_replay._needed(3, reads, 3) == [{0, 1, 3}, {1, 3}, {3}]
    assert plan_replay._needed(2, reads, 2) == [{2}, {2}]


def test_windows_sinks_padding_and_readers() -> None:
    """Otherwise what the options say of who is seen, or of who reads, is something else."""
    segments = [
        {"name": "pad", "length": 2, "padding": True}, {"name": "A", "length": 3},
        {"name": "q", "length": 2},
    ]  # fmt: skip
    plan = plan_of({"scheme": "none", "window": 1, "sinks": 3, "reader": 0, "segments": segments})
    laid_out = lay(plan, plan.segments)
    assert [np.flatnonzero(row).tolist() for row in laid_out.allowed] == [
        [0], [0, 1], [2], [2, 3], [2, 3, 4], [2, 4, 5], [2, 5, 6],
    ]  # fmt: skip
    assert plan.reads == 5 and plan_of(plan.to_json()) == plan
    assert plan.reads_text(PEOPLE) == "token 1, counted from 1, of q"
    assert plan.reads_text(JSON) == "token 0, counted from 0, of q"
    assert plan_of({"scheme": "none", "segments": segments}).reads == 6


A = {"name": "A", "length": 1}
PAIR = {"scheme": "none", "segments": [A, {"name": "B", "length": 3}]}
BAD: list[tuple[Any, str]] = [
    ([], "expected {"),
    ({"scheme": "rope"}, "expected {"),
    ({"scheme": "alib", "segments": [A, A]}, "scheme: given 'alib', nearest: alibi"),
    ({"scheme": 3, "segments": [A, A]}, "scheme: given '3'"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "attends": ["B"]}]}, "itself"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 10**30}]}, "length: given 1"),
    ({"scheme": "rope", "segments": [A, {"name": "B" * 99, "length": 1}]}, "not long"),
    (PAIR | {"windows": 3}, "given 'windows', expected scheme, segments and perhaps window"),
    (PAIR | {"heads": []}, "a mask or bias of another form: symmetry --mask, --bias"),
    (PAIR | {"window": -1}, "window: given '-1', expected a number from 0"),
    (PAIR | {"window": 1.5}, "window: given '1.5'"),
    (PAIR | {"window": None}, "window: given 'None'"),
    (PAIR | {"sinks": 2}, "sinks: given without a window"),
    (PAIR | {"clip": 2}, "clip: given for the scheme none, expected the scheme shaw"),
    (PAIR | {"scheme": "shaw", "clip": 129}, "clip: given '129', expected a number from 0 to 128"),
    (PAIR | {"reader": 3}, "reader: given '3', expected a number from 0 to 2, a token of the last"),
    (PAIR | {"reader": "A"}, "reader: given 'A', expected a number"),
    ({"scheme": "rope", "segments": [A, A | {"name": "B", "padding": True}]}, "last segment reads"),
    ({"scheme": "rope", "segments": [A | {"padding": 1}, A]}, "padding: given 1, expected true"),
    (
        {
            "scheme": "rope",
            "segments": [A | {"padding": True, "attends": ["B"]}, {"name": "B", "length": 1}],
        },
        "padding and attends",
    ),
    (
        {
            "scheme": "rope",
            "segments": [A | {"padding": True}, {"name": "B", "length": 1, "attends": ["A"]}],
        },
        "is padding",
    ),
    ({"scheme": "rope", "segments": [A]}, "expected a list of 2 to 32"),
    ({"scheme": "rope", "segments": [A, A]}, "names must differ"),
    ({"scheme": "rope", "segments": [A, {"name": "B"}]}, "segment 2: expected name, length"),
    ({"scheme": "rope", "segments": [A, {"name": "", "length": 1}]}, "segment 2: name"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 0}]}, "segment B: length: given 0"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": True}]}, "length: given True"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "x": 1}]}, "segment 2"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 2000}]}, "at most 1024 tokens"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 2, "start": [1]}]}, "start: given"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "start": -1}]}, "start: given"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "start": "x"}]}, "start: given"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "attends": ["Z"]}]}, "'Z'"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "attends": 3}]}, "attends"),
    ({"scheme": "rope", "segments": [A, {"name": "B", "length": 1, "causal": 1}]}, "causal"),
]


@pytest.mark.parametrize(("data", "message"), BAD)
def test_what_is_no_plan_is_refused(tmp_path: Path, data: Any, message: str) -> None:
    """Otherwise a wrong plan ends in a traceback, or is read as another."""
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(data))
    with pytest.raises(MatrixError, match=message):
        layout.read(path)


def test_what_is_no_json_is_refused(tmp_path: Path) -> None:
    """Otherwise a file that is not JSON, or none, ends in a traceback."""
    path = tmp_path / "plan.json"
    for text in ("{", "[" * 100_000, '{"scheme": "none", "scheme": "rope", "segments": []}'):
        path.write_text(text)
        with pytest.raises(MatrixError, match="not a plan"):
            layout.read(path)
    with pytest.raises(MatrixError, match="No such file"):
        layout.read(tmp_path / "none.json")
