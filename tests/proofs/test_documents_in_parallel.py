"""Documents in parallel: real layouts satisfy the hypotheses, and each hypothesis is needed."""

from __future__ import annotations

from itertools import permutations

import pytest

from orderproof.check.claims import Claim
from orderproof.check.marks.exact import by_exact
from orderproof.check.sampling import about_indices, holds_of_numbers, with_given_maps
from orderproof.proofs.naturality import documents
from orderproof.proofs.naturality.documents import CARRIED, KEPT, MODELS, RESTART, ROWS, Model
from orderproof.proofs.naturality.documents_in_parallel import claim
from orderproof.proofs.naturality.documents_witnesses import BROKEN, prompt
from orderproof.symbolic.statements.evidence import Weight, weigh
from orderproof.symbolic.statements.statement import Statement, of_theorem
from tests.judged import loaded

Layout = tuple[dict[str, int], dict[str, list[int]]]


def laid(lengths: tuple[int, ...], order: tuple[int, ...]) -> Layout:
    """Documents of these lengths one after another, and in another order, token by token."""
    first = [(b, k) for b, length in enumerate(lengths) for k in range(length)]
    other = [(b, k) for b in order for k in range(lengths[b])]
    maps = {"sigma": [first.index(token) for token in other]}
    for of, tokens in (("", first), ("'", other)):
        maps |= {f"beta{of}": [b for b, _ in tokens], f"p{of}": [k for _, k in tokens]}
    return {"n": len(first), "h": len(lengths), "m": max(lengths)}, maps


@pytest.mark.parametrize("lengths", [(1, 1), (2, 1), (1, 2, 3), (2, 2, 1), (3,), (0, 2, 1)])
def test_layouts_satisfy_the_hypotheses(lengths: tuple[int, ...]) -> None:
    """The theorem would be about other layouts than documents one after another."""
    layout = CARRIED, KEPT, *RESTART
    for order in permutations(range(len(lengths))):
        sizes, maps = laid(lengths, order)
        assert all(holds_of_numbers(a, sizes, maps) for a in layout), order
        for name, over in (("p", "m"), ("p'", "m"), ("beta'", "h")):
            wrong = [(v + 1) % sizes[over] for v in maps[name]]
            assert sizes[over] == 1 or not all(
                holds_of_numbers(a, sizes, maps | {name: wrong}) for a in layout
            ), name
        given = with_given_maps(
            Statement(CARRIED, frozenset(layout)), sizes, {x: maps[x] for x in ("beta", "sigma")}
        )
        assert given == maps  # ids and documents of the other order follow


def test_order_inside_documents() -> None:
    """Two tokens of a document could change places without a hypothesis that fails."""
    sizes, maps = laid((2, 1), (0, 1))
    assert not holds_of_numbers(KEPT, sizes, maps | {"sigma": [1, 0, 2]})
    assert holds_of_numbers(KEPT, *laid((1, 2), (1, 0)))


def weighed(claim: Claim, mark: str) -> Weight:
    """What a mark says of a claim, weighed against it."""
    return weigh(claim.statement, claim.marks[mark](claim.statement))


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(m, marks=pytest.mark.slow if "R" in m.letters and m.depth > 1 else ())
        for m in MODELS
    ],
    ids=str,
)
def test_every_hypothesis_is_used_and_said(model: Model) -> None:
    """A hypothesis would be dropped from the claim, or named there and not used."""
    said = {a for atoms in model.hypotheses().values() for a in atoms}
    assert of_theorem(documents.same_output(model)).given == said
    c = claim(model)
    assert weighed(c, "kernel").settles
    for a in said:
        assert weighed(c.stating(given=c.statement.given - {a}), "kernel").ok is False


def test_ids_are_counted() -> None:
    """That ids travel would be assumed, not derived from their restart."""
    assert of_theorem(documents.ids_travel()).given == {CARRIED, KEPT, *RESTART}


# ------------------------------------------------------------------ each hypothesis that is broken
FALSE = dict(zip(BROKEN, loaded("documents_in_parallel").neighbours[-len(BROKEN) :], strict=True))


@pytest.mark.parametrize("word", BROKEN)
def test_a_prompt_refutes_the_claim_without_one_hypothesis(word: str) -> None:
    """A prompt would break two hypotheses, or none; or its outputs would be the same."""
    false = FALSE[word].claim
    assert weighed(false, "exact").refutes
    model = MODELS[BROKEN[word][1] - 1]
    left_out = {*model.hypotheses()[word]}
    whole, fewer = claim(model).statement.given, false.statement.given
    assert whole - fewer == left_out
    contrary = [fewer | {a.opposite()} for a in whole - left_out if about_indices(a)]
    for given in (whole, *contrary):
        assert not weighed(false.stating(given=given), "exact").refutes


def test_each_hypothesis_is_broken_by_some_prompt() -> None:
    """The theorem would be called one in which each hypothesis is needed, and pass some over."""
    assert {*BROKEN} == set(Model(ROWS, 2).hypotheses())
    for word, (_, layers, _) in BROKEN.items():  # two only where it is about what documents read
        assert (layers == 2) == (word not in Model(ROWS, 1).hypotheses())


def test_a_prompt_with_equal_outputs_refutes_nothing() -> None:
    """A prompt whose order does not matter would pass for one that shows that it does."""
    s = FALSE["ids"].claim.statement
    alike = prompt(ids=([0, 1], [0, 1]), tokens=(1, 1))
    assert not weigh(s, by_exact([alike])(s)).refutes
