"""Prompts of documents in parallel that satisfy all hypotheses but one, and for which
the order matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orderproof.proofs.check.claims import Atom, Claim, differs, sizes
from orderproof.proofs.marks.exact import Witness, by_exact
from orderproof.proofs.marks.numeric import by_numpy_differs
from orderproof.symbolic.calculus.terms import at
from orderproof.symbolic.models.builders import (
    POINT,
    add,
    constant,
    iota,
    multiply,
    number,
    pointwise,
    size,
    tensor,
)
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES

from .documents import (
    EARLIER,
    ORDERS,
    PLACE,
    QUERY,
    TABLES,
    Model,
    by_ids,
    number_of,
    together,
)
from .position_ids import BLOCKS, IDS

LAST = constant("l", n)
BY_PLACE = {  # what is read by the place in the prompt, which no id tells
    "E": tensor("w_E", i=n, k=FEATURES),
    "B": tensor("w_B", i=n, j=n),
    "b": tensor("w_b", i=POINT, j=n),
    "g": tensor("w_g", i=POINT, j=n),
}


def going_on(of: str) -> Atom:
    """Ids go on from one document to the next: they are the places."""
    return Atom(number_of(PLACE[of]("i")), "=", iota(n, "i"))


def reading_earlier(of: str) -> Atom:
    """Documents read those before them."""
    mask, _ = by_ids(of)["G"]
    by_id = at(TABLES["G"], {a: PLACE[of](a) for a in "ij"})
    return Atom(mask, "=", multiply(pointwise("max", together(of), EARLIER), by_id))


def after_the_last(of: str) -> Atom:
    """The query's id is the next one after that of the last token."""
    last = number_of(PLACE[of](LAST()))
    return Atom(number_of(QUERY[of]("i")), "=", add(last, number(1)))


def by_place(letter: str) -> tuple[Atom, ...]:
    """Both orders read a position tensor by the places."""
    return tuple(Atom(by_ids(of)[letter][0], "=", BY_PLACE[letter]) for of in ORDERS)


def row_of_the_last(of: str) -> Atom:
    """To the query the row of the last token is added."""
    return Atom(by_ids(of)["e"][0], "=", at(TABLES["E"], {"i": PLACE[of](LAST())}))


IS_LAST = Atom(add(at(iota(n, "i"), {"i": LAST()}), number(1)), "=", size(n))


@dataclass(frozen=True)
class Broken:
    """A hypothesis by its word, what holds in its place, and the prompt: so many layers, documents
    and ids in both orders, where the tokens went, ids of the query, tokens, W_Q."""

    dropped: str
    instead: tuple[Atom, ...]
    depth: int
    documents: tuple[list[int], list[int]]
    ids: tuple[list[int], list[int]]
    order: list[int]
    query: tuple[int, int]
    tokens: list[int]
    looking: int = 0

    @property
    def model(self) -> Model:
        """Rows, biases and masks."""
        return Model("EBG", self.depth)

    def mended(self, claim: Claim) -> frozenset[Atom]:
        """What the claim asks, with the hypothesis in place of its opposite."""
        dropped = self.model.hypotheses()[self.dropped]
        return claim.statement.such - {a.opposite() for a in dropped} | {*dropped}

    def witness(self) -> Witness:
        """The prompt, with a table of rows that are the ids, one feature, and W_K = W_V = 1."""
        ids = 1 + max(*self.ids[0], *self.ids[1], *self.query)
        maps = {"sigma": self.order, "l": len(self.order) - 1}
        for k, of in enumerate(ORDERS):
            maps |= {f"beta{of}": self.documents[k], f"p{of}": self.ids[k]}
            maps |= {f"q{of}": [self.query[k]]}
        tensors: dict[str, Any] = {
            "C": [[v] for v in self.tokens], "x": [[0]], "T_E": [[k] for k in range(ids)],
            "T_B": [[0] * ids] * ids, "T_G": [[1] * ids] * ids, "q_B": [0], "q_G": [1],
        }  # fmt: skip
        size = len(self.order)
        first = [1] + [0] * (size - 1)
        tensors |= {"w_E": [[v] for v in first], "w_b": [first], "w_g": [[1 + v for v in first]]}
        tensors["w_B"] = [first] + [[0] * size] * (size - 1)
        for layer in range(1, self.depth + 1):
            of_layer = {"W_Q": self.looking, "W_K": 1, "W_V": 1}
            tensors |= {f"{name}{layer}": [[v]] for name, v in of_layer.items()}
        counts = {"n": len(self.order), "h": 1 + max(self.documents[0]), "m": ids, "d": 1}
        return Witness(counts, maps, tensors, query="W_Q1", logs=("w_b", "w_B"))

    def claim(self) -> Claim:
        """All hypotheses but this one hold, and the query's output differs."""
        model, w = self.model, self.witness()
        known = model.hypotheses()
        kept = [a for word, atoms in known.items() if word != self.dropped for a in atoms]
        against = [a.opposite() for a in known[self.dropped]]
        count = {n: "n", BLOCKS: "h", IDS: "m", FEATURES: "d"}
        return differs(
            model.output("'"), model.output(""),
            {"exact": by_exact([w]), "numeric": by_numpy_differs([w])},
            such=[*kept, *against, *self.instead, *model.positive()], row="i", column="k",
            over=sizes(among={s: (w.sizes[name],) for s, name in count.items()}),
        )  # fmt: skip


ONE_EACH = [0, 1], [1, 0]  # two documents of one token, in both orders
ANEW = [0, 0], [0, 0]
BROKEN = (
    Broken("ids", tuple(map(going_on, ORDERS)), 1, ONE_EACH, ([0, 1], [0, 1]), [1, 0], (1, 1),
           [1, 0], looking=1),
    Broken("G", tuple(map(reading_earlier, ORDERS)), 2, ONE_EACH, ANEW, [1, 0], (1, 1), [1, 0]),
    Broken("query", (*map(after_the_last, ORDERS), IS_LAST), 1, ([0, 1, 1], [1, 1, 0]),
           ([0, 0, 1], [0, 1, 0]), [1, 2, 0], (2, 1), [0, 0, 0]),
    Broken("b", by_place("b"), 1, ONE_EACH, ANEW, [1, 0], (1, 1), [1, 0]),
    Broken("inside", (), 1, ([0, 0], [0, 0]), ([0, 1], [0, 1]), [1, 0], (1, 1), [1, 0], looking=1),
    Broken("documents", (), 1, ([0, 1], [0, 0]), ([0, 0], [0, 1]), [0, 1], (1, 1), [1, 0]),
    Broken("E", by_place("E"), 1, ONE_EACH, ANEW, [1, 0], (1, 1), [1, 0], looking=1),
    Broken("e", (*map(row_of_the_last, ORDERS), IS_LAST), 1, ([0, 1, 1], [1, 1, 0]),
           ([0, 0, 1], [0, 1, 0]), [1, 2, 0], (2, 2), [0, 0, 0]),
    Broken("g", by_place("g"), 1, ONE_EACH, ANEW, [1, 0], (1, 1), [1, 0]),
    Broken("B", by_place("B"), 2, ([0, 0, 1], [1, 0, 0]), ([0, 1, 0], [0, 0, 1]), [2, 0, 1],
           (2, 2), [0, 0, 0]),
)  # fmt: skip
