"""What a theorem's page says of its names, read as a person reads it, gives the tensors named."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from orderproof.check.claims import TheoremFile, holds
from orderproof.proofs.symbols import X, d, n, show
from orderproof.publish.pages.definitions import COUNTED, planted, where
from orderproof.publish.pages.statements import style_of
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.derive.steps import Named
from orderproof.symbolic.models.builders import add, exp, tensor
from orderproof.symbolic.readings.notation import Plain
from tests.judged import loaded

from .reading import CLOSE, MAPS, meaning, value, values

READ = (
    "additive_position_iff",
    "causal_last_token_invariant",
    "positions_that_travel",
    "self_attention_equivariant",
    "two_causal_layers_see_order",
)
ALIKE = (  # of these, those with a tensor that is another case of one
    "additive_position_iff", "causal_last_token_invariant", "positions_that_travel",
    "two_causal_layers_see_order",
)  # fmt: skip
LONG = pytest.param(
    "documents_in_parallel", marks=pytest.mark.slow
)  # of four other theorems' length
each = pytest.mark.parametrize("name", [*READ, LONG])
NAME = re.compile(r"[^\W\dᵀ][^\Wᵀ]*′?")
NEXT = re.compile(r", (?=\w+′?(?:\[[^\]]*\])? = )")  # Q = H W_Q, K = H W_K
MASK = re.compile("[gGu]|._G")  # weights are not negative, and no sum of them nearly 0
BRACKET = re.compile(r"\[(\w) ≤ (\w)\]")  # Iverson's: 1 where it holds, else 0
PRIME = "'"
E = tensor("E", i=n, c=d)
Array = Any


@dataclass
class Reader:
    """Definitions and lines "new: as old, with … in place of …" of a page, and the free tensors."""

    free: Mapping[str, Array]
    shapes: Mapping[str, tuple[int, ...]]
    defined: dict[str, tuple[list[str], str]]
    cases: dict[str, tuple[str, dict[str, str]]]

    def array(self, name: str, instead: Mapping[str, Callable[[], Array]]) -> Array:
        """What a name stands for, where other arrays stand for some names (made when asked for)."""
        if name in instead:
            return instead[name]()
        if name in self.cases:
            old, put = self.cases[name]
            new = {x: partial(self.array, y, instead) for x, y in put.items()}
            return self.array(old, {**instead, **new})
        if name not in self.defined:
            return self.free[name]
        letters, body = self.defined[name]
        body = BRACKET.sub(r"Tri[\2, \1]", body)
        known = {*self.defined, *self.cases, *self.free} & {*NAME.findall(body)}
        reading = meaning({x: self.array(x, instead) for x in known})
        reading = replace(reading, maps={**reading.maps, "p": MAPS["p"], "β": MAPS["beta"]})
        if "Tri" in body:
            reading = replace(
                reading, arrays={**reading.arrays, "Tri": np.tri(self.shapes[name][1])}
            )
        if not letters:
            return reading.matrix(body)
        places = zip(letters, self.shapes[name], strict=True)
        sizes = {letter: size for letter, size in places if letter != "1"}
        return reading.entries(body, sizes).reshape(self.shapes[name])


def read(theorem: TheoremFile) -> tuple[Reader, dict[str, Array]]:
    """The page's definitions, those beside its false neighbour too; and what is meant by them."""
    items = {Plain().symbol(item.name): item for item in theorem.show.named}
    false = theorem.neighbour.claim
    terms = (t for c in (*theorem.claims, false) for t in (c.lhs, c.rhs))
    tensors = {x: a if callable(a) else a / 2 for x, a in values(*terms).items()}
    tensors |= {x: abs(a) for x, a in tensors.items() if MASK.match(x)}
    free = {Plain().symbol(x): a for x, a in tensors.items()}
    shown = [f.plain for f in where(theorem)] + planted(theorem).plain.split(", where ")[1:]
    reader = Reader(free, {}, {}, {})
    for line in (part for text in shown for part in NEXT.split(text)):
        if ": as " in line:
            new, old, put, of = (
                part.split(", ") for part in re.split(r": as |, with | in place of ", line)
            )
            pairs = dict(zip(of, put, strict=True))
            reader.cases |= {x: (y, pairs) for x, y in zip(new, old, strict=True)}
        elif not line.startswith(("(", "any other prime")) and line != COUNTED:
            left, body = line.split(" = ", 1)
            name, _, letters = left.partition("[")
            reader.defined[name] = letters.rstrip("]").split(", ") if letters else [], body
    told = {*reader.defined, *reader.cases}
    labels = style_of(theorem).labels.items()  # Q′ and others that the steps define
    beside = {Plain().symbol(f"{x.name}{PRIME * x.primed}"): (node, x.order) for node, x in labels}
    reader.free = free | {
        x: np.transpose(value(Term(node, tuple(range(len(node.sets)))), tensors), order)
        for x, (node, order) in beside.items()
        if x not in told and x not in free
    }
    meant = {name: _array(items[name], tensors) for name in told & {*items}}
    reader.shapes = {name: np.shape(a) for name, a in meant.items()}
    return reader, meant


def _array(item: Named, tensors: Mapping[str, Array]) -> Array:
    return np.transpose(value(item.term, tensors), [item.term.axes.index(a) for a in item.axes])


def off(theorem: TheoremFile) -> dict[str, float]:
    """How far what is read of each name is from its tensor."""
    reader, meant = read(theorem)
    return {
        name: float(np.max(np.abs(reader.array(name, {}) - a), initial=0))
        for name, a in meant.items()
    }


@each
def test_every_definition_denotes_its_tensor(name: str) -> None:
    """A page would say of a letter in its claims that it stands for another tensor."""
    found = off(loaded(name))
    assert len(found) >= 6 and max(found.values()) < CLOSE, found


@each
def test_a_wrong_definition_is_noticed(name: str) -> None:
    """The reading above would pass for a page with one tensor in place of another."""
    reader, meant = read(loaded(name))
    key = next(x for x, (_, body) in reader.defined.items() if "ᵀ" in body)
    letters, body = reader.defined[key]
    reader.defined[key] = letters, f"{body} + {body}"
    assert np.max(np.abs(reader.array(key, {}) - meant[key])) > 0.01


@pytest.mark.parametrize("name", [*ALIKE, LONG])
def test_what_is_not_alike_is_not_said_to_be(name: str) -> None:
    """A tensor would be printed as another case of one that is made in another way."""
    theorem = loaded(name)
    (first, *_) = theorem.show.alike
    names = [x for x in first if x in {item.name for item in theorem.show.named}]
    turned = dict(zip(names, [first[x] for x in (*names[1:], names[0])], strict=True))
    wrong = replace(theorem, show=replace(theorem.show, alike=(turned, *theorem.show.alike[1:])))
    assert where(wrong) != where(theorem)
    assert max(off(wrong).values()) < CLOSE


@pytest.mark.parametrize("name", [*ALIKE, LONG])
def test_a_line_with_other_tensors_is_noticed(name: str) -> None:
    """Lines "as …, with … in place of …" would be read without what stands in place of what."""
    reader, meant = read(loaded(name))
    key = next(iter(reader.cases))
    old, _ = reader.cases[key]
    reader.cases[key] = old, {}
    assert np.max(np.abs(reader.array(key, {}) - meant[key])) > 1e-4


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (E, "V: as U, with E in place of X"),
        (X, "V[i, c] = X[i, c] + exp(E[i, c])"),
    ],  # X stands in V as well
)
def test_what_is_put_in_place_stands_in_all_places(first: Term, said: str) -> None:
    """A tensor would be said to be another with E in place of X, where X is left in it."""
    named = [Named(name, add(t, exp(u)), "i", "c")
             for name, t, u in (("U", X, X), ("V", first, E))]  # fmt: skip
    shown = show(*named, alike=({"V": "U", "E": "X"},))
    claim = holds(named[0].term, "=", named[1].term, {})
    theorem = replace(loaded("sum_act"), claims=(claim,), words=(), show=shown)
    assert said in [f.plain for f in where(theorem)]
