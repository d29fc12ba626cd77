"""A prompt of documents and a query after them, in two orders: what is assumed, and what follows.

In the first order the token at place i is in document β(i) and has the position id p(i); place i of
the other order, β′ and p′, holds the token that was at σ(i). q and q′ are the query's ids. Rows E,
biases B, masks G and rotations R of the context, those between the query and it (b, g, r), and
between it and the query (s, u), come from tables T by ids. Documents and their lengths are any.
"""

from functools import cache

from orderproof.check.claims import StuckError
from orderproof.check.marks.joined import putting
from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import BLOCKS, IDS
from orderproof.symbolic.calculus.terms import Ap, map_type, opened
from orderproof.symbolic.derive.rewrite import reindexed
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES, SIGMA, query_after

C, x = tensor("C", i=n, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
PC = moved(C, i=SIGMA)
ORDERS = ("", "'")
DOCUMENT = {of: symbol(f"beta{of}", (n,), BLOCKS) for of in ORDERS}
PLACE = {of: symbol(f"p{of}", (n,), IDS) for of in ORDERS}
QUERY = {of: symbol(f"q{of}", (POINT,), IDS) for of in ORDERS}
EARLIER = pointwise("at_most", add(iota(n, "j"), number(1)), iota(n, "i"))  # j stands before i


# ------------------------------------------------------------------------------------ the layout
def number_of(e: Ap) -> Term:
    """A document or an id as a number."""
    return at(iota(map_type(e.map)[1], "i"), {"i": e})


def together(of: str) -> Term:
    """1 where i and j are in one document, else 0."""
    return at(delta(BLOCKS, "i", "j"), {a: DOCUMENT[of](a) for a in "ij"})


def restarts(of: str) -> Atom:
    """Ids restart in each document: p(i) is the number of tokens before i in its document."""
    before = total(multiply(together(of), EARLIER), "j")
    return Atom(number_of(PLACE[of]("i")), "=", before)


CARRIED = Atom(number_of(DOCUMENT["'"]("i")), "=", number_of(DOCUMENT[""](SIGMA("i"))))
KEPT = Atom(  # of two tokens of one document, the same one comes first in both orders
    multiply(together("'"), EARLIER), "=",
    multiply(together("'"), moved(EARLIER, i=SIGMA, j=SIGMA)),
)  # fmt: skip
SAME_PLACE = Atom(number_of(QUERY["'"]("i")), "=", number_of(QUERY[""]("i")))
RESTART = restarts(""), restarts("'")


def ids_travel() -> Theorem:
    """Ids restart in each document in both orders, a token keeps its document, and documents their
    order inside ⊢ p′(i) = p(σ(i))."""
    there = kernel.hyp(*RESTART[1].terms)
    kept = kernel.cong(there.rhs, [kernel.hyp(*KEPT.terms)])
    named = reindexed(kept.rhs, [kernel.hyp(*CARRIED.terms)])
    own = kernel.hyp(*RESTART[0].terms)
    travelled = inward(moved(own.lhs.rename({0: "i"}), i=SIGMA))
    counted = kernel.cong(travelled.lhs, [own])
    inside = inward(counted.rhs)
    _, (body,), ((axis,),), _ = opened(inside.rhs)
    reordered = kernel.reindex("sum", body, axis, SIGMA)
    again = inward(reordered.rhs)
    back = chain(kernel.sym(travelled), counted, inside, reordered, again)
    return chain(there, kept, named, inward(named.rhs), kernel.sym(back))


# ------------------------------------------------------------- what is read by ids, and the output
@dataclass(frozen=True)
class Model:
    """What positions enter a model: rows, biases and masks, or rotations and masks; whether the
    documents read the query, by their ids; and so many layers."""

    letters: str
    depth: int
    reads: bool = False

    def tensors(self) -> list[str]:
        """The position tensors that the output depends on: of the context, of the query (small
        letters), of both (s a bias, u a mask)."""
        used = {node.op for node in reachable(self.output("").node)}
        return [y for y, (t, _) in by_ids("").items() if leaf_of(t) in used]

    def states(self, of: str) -> tuple[Term, list[tuple[Term, Term]]]:
        """What the query reads in an order, and context and query before each layer."""
        t = {y: pair[0] for y, pair in by_ids(of).items()}
        tokens, query = (PC if of else C), x
        if "E" in self.letters:
            tokens, query = add(tokens, t["E"]), add(x, t["e"])
        position = {y: t[y] for y in self.letters}
        column = {"B": t["s"], "G": t["u"]} if self.reads else None
        return query_after(tokens, query, position, self.row(of), self.depth, column)

    def row(self, of: str) -> dict[str, Term]:
        """What the query has of the context, and of itself."""
        t = {y: pair[0] for y, pair in by_ids(of).items()}
        return {
            y: cat(t[y.lower()], tensor(f"q_{y}", j=POINT, **_turn(y)), "j")
            for y in self.letters if y != "E"
        }  # fmt: skip

    def output(self, of: str) -> Term:
        """What the query reads in an order."""
        return self.states(of)[0]

    def hypotheses(self) -> dict[str, tuple[Atom, ...]]:
        """What is assumed of two orders, by a word for each."""
        read = {
            y: tuple(Atom(by_ids(of)[y][0], "=", by_ids(of)[y][1]) for of in ORDERS)
            for y in self.tensors()
        }
        layout = {"documents": CARRIED, "inside": KEPT, "query": SAME_PLACE}
        return {y: (a,) for y, a in layout.items()} | {"ids": RESTART} | read

    def positive(self) -> list[Atom]:
        """Masks are weights, the query reads itself, and each token reads one of its document."""
        zero = number(0)
        rows = [Atom(zero, "<", total(by_ids("")["G"][0], "j"))] * ("G" in self.tensors())
        return [Atom(zero, "≤", TABLES["G"]), Atom(zero, "<", tensor("q_G", j=POINT)), *rows]


def _turn(letter: str) -> dict[str, Set]:
    return {"c": FEATURES, "e": FEATURES} if letter in "Rr" else {}


TABLES = {
    "E": tensor("T_E", i=IDS, k=FEATURES),
    "G": tensor("T_G", i=IDS, j=IDS),
    "B": tensor("T_B", i=IDS, j=IDS),
    "R": tensor("T_R", i=IDS, j=IDS, c=FEATURES, e=FEATURES),
}


@cache
def by_ids(of: str) -> dict[str, tuple[Term, Term]]:
    """The position tensors of an order, each with what it is by ids and documents."""
    p, q = PLACE[of], QUERY[of]
    read = {"E": at(TABLES["E"], {"i": p("i")}), "e": at(TABLES["E"], {"i": q("i")})}
    for y in "GBR":
        read[y] = at(TABLES[y], {"i": p("i"), "j": p("j")})
        read[y.lower()] = at(TABLES[y], {"i": q("i"), "j": p("j")})
    read["G"] = multiply(together(of), read["G"])
    read |= {y: at(TABLES[x], {"i": p("i"), "j": q("j")}) for y, x in (("s", "B"), ("u", "G"))}
    return {
        y: (tensor(f"{y}{of}", **{str(a): s for a, s in t.sets.items()}), t)
        for y, t in read.items()
    }


def same_output(model: Model) -> Theorem:
    """The query reads the same in both orders: the push, and what the other order's tensors are."""
    facts = [ids_travel(), *(kernel.hyp(*a.terms) for a in (CARRIED, SAME_PLACE))]
    moves: dict[Op, Motion] = {leaf_of(C): (SIGMA, None)}
    steps, term = [], model.output("'")
    for y in model.tensors():
        (here, read), (there, other) = by_ids("")[y], by_ids("'")[y]
        moving = {a: SIGMA(a) for a, over in here.sets.items() if over == n}
        own, further = kernel.hyp(here, read), kernel.hyp(there, other)
        if moving:
            moves[leaf_of(here)] = tuple(
                SIGMA if over == n else None for over in here.sets.values()
            )
            own = kernel.cong(at(here, moving), [own])
            own = chain(own, inward(own.rhs))
        named = chain(further, reindexed(further.rhs, facts))
        steps.append(putting(term, chain(named, inward(named.rhs), kernel.sym(own))))
        term = steps[-1].rhs
    pushed = pushing(model.output(""), moves)
    if any(pushed.motion):
        raise StuckError("the query was expected to stay where it is")
    return chain(*steps, pushed.theorem)
