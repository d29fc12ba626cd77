"""A prompt of documents and a query after them, in two orders: what is assumed, and what follows.

In the first order the token at place i is in document β(i) and has the position id p(i); place i of
the other order, β′ and p′, holds the token that was at σ(i). q and q′ are the query's ids. Rows E,
biases B, masks G and rotations R of the context, those between the query and it (b, g, r), and
between it and the query (s, u), come from tables T by ids. Documents and their lengths are any.
"""

from functools import cache

from orderproof.proofs.prelude import *
from orderproof.proofs.shared.position_ids import BLOCKS, IDS, TABLES
from orderproof.symbolic.calculus.terms import opened
from orderproof.symbolic.derive.rewrite import reindexed
from orderproof.symbolic.schemes.models import CONTEXT as n
from orderproof.symbolic.schemes.models import FEATURES, SIGMA, parts, query_after, weights

C, x = tensor("C", i=n, k=FEATURES), tensor("x", i=POINT, k=FEATURES)
PC = moved(C, i=SIGMA)
ORDERS = ("", "'")
DOCUMENT = {of: symbol(f"beta{of}", (n,), BLOCKS) for of in ORDERS}
PLACE = {of: symbol(f"p{of}", (n,), IDS) for of in ORDERS}
QUERY = {of: symbol(f"q{of}", (POINT,), IDS) for of in ORDERS}
DOCUMENT_NUMBER, ID_NUMBER = iota(BLOCKS, "i"), iota(IDS, "i")
EARLIER = pointwise("at_most", add(iota(n, "j"), number(1)), iota(n, "i"))  # j stands before i


# ------------------------------------------------------------------------------------ the layout
def together(of: str) -> Term:
    """1 where i and j are in one document, else 0."""
    return moved(delta(BLOCKS, "i", "j"), i=DOCUMENT[of], j=DOCUMENT[of])


CARRIED = Atom(
    moved(DOCUMENT_NUMBER, i=DOCUMENT["'"]),
    "=",
    at(DOCUMENT_NUMBER, {"i": DOCUMENT[""](SIGMA("i"))}),
)
KEPT = Atom(  # of two tokens of one document, the same one comes first in both orders
    multiply(together("'"), EARLIER), "=",
    multiply(together("'"), moved(EARLIER, i=SIGMA, j=SIGMA)),
)  # fmt: skip
SAME_PLACE = Atom(moved(ID_NUMBER, i=QUERY["'"]), "=", moved(ID_NUMBER, i=QUERY[""]))
RESTART = tuple(  # p(i) is the number of tokens before i in its document
    Atom(moved(ID_NUMBER, i=PLACE[of]), "=", total(multiply(together(of), EARLIER), "j"))
    for of in ORDERS
)


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
@cache
def by_ids(of: str) -> dict[str, Term]:
    """What the position tensors of an order are, by ids and documents."""
    p, q = PLACE[of], QUERY[of]
    read = {"E": moved(TABLES["E"], i=p), "e": moved(TABLES["E"], i=q)}
    for y in "GBR":
        read |= {y: moved(TABLES[y], i=p, j=p), y.lower(): moved(TABLES[y], i=q, j=p)}
    read["G"] = multiply(together(of), read["G"])
    return read | {"s": moved(TABLES["B"], i=p, j=q), "u": moved(TABLES["G"], i=p, j=q)}


@cache
def positions(of: str) -> dict[str, Term]:
    """The position tensors of an order by their letters: of the context, of the query (small
    letters), of both (s a bias, u a mask)."""
    return {
        y: tensor(f"{y}{of}", **{str(a): s for a, s in t.sets.items()})
        for y, t in by_ids(of).items()
    }


OWN = {  # of the query alone
    "B": tensor("q_B", j=POINT), "G": tensor("q_G", j=POINT),
    "R": tensor("q_R", j=POINT, c=FEATURES, e=FEATURES),
}  # fmt: skip


@dataclass(frozen=True)
class Model:
    """What positions enter a model: rows, biases and masks, or rotations and masks; whether the
    documents read the query, by their ids; and so many layers."""

    letters: str
    depth: int
    reads: bool = False

    def tensors(self) -> list[str]:
        """The letters of the position tensors that the output depends on."""
        used = {node.op for node in reachable(self.output("").node)}
        return [y for y, t in positions("").items() if leaf_of(t) in used]

    def column(self, of: str) -> dict[str, Term] | None:
        """What the context has of the query, where it reads it."""
        t = positions(of)
        return {"B": t["s"], "G": t["u"]} if self.reads else None

    def row(self, of: str) -> dict[str, Term]:
        """What the query has of the context, and of itself."""
        return {y: cat(positions(of)[y.lower()], OWN[y], "j") for y in self.letters if y in OWN}

    def states(self, of: str) -> tuple[Term, list[tuple[Term, Term]]]:
        """What the query reads in an order, and context and query before each layer."""
        t = positions(of)
        tokens, query = (PC if of else C), x
        if "E" in self.letters:
            tokens, query = add(tokens, t["E"]), add(x, t["e"])
        position = {y: t[y] for y in self.letters}
        return query_after(tokens, query, position, self.row(of), self.depth, self.column(of))

    def output(self, of: str) -> Term:
        """What the query reads in an order."""
        return self.states(of)[0]

    def hypotheses(self) -> dict[str, tuple[Atom, ...]]:
        """What is assumed of two orders, by a word for each."""
        layout = {"documents": (CARRIED,), "inside": (KEPT,), "query": (SAME_PLACE,)}
        read = {
            y: tuple(Atom(positions(of)[y], "=", by_ids(of)[y]) for of in ORDERS)
            for y in self.tensors()
        }
        return layout | {"ids": RESTART} | read

    def positive(self) -> list[Atom]:
        """Masks are weights, the query reads itself, and each token reads one of its document."""
        zero = number(0)
        rows = [Atom(zero, "<", total(positions("")["G"], "j"))] * ("G" in self.tensors())
        return [Atom(zero, "≤", TABLES["G"]), Atom(zero, "<", OWN["G"]), *rows]


ROWS, ROTATIONS = "EBG", "RG"  # rows, biases and masks; rotations and masks
MODELS = (
    Model(ROWS, 1), Model(ROWS, 2), Model(ROTATIONS, 1), Model(ROTATIONS, 2),
    Model(ROWS, 2, reads=True),
)  # fmt: skip


def same_output(model: Model) -> Theorem:
    """The query reads the same in both orders: the push, and what the other order's tensors are."""
    facts = [ids_travel(), *(kernel.hyp(*a.terms) for a in (CARRIED, SAME_PLACE))]
    moves: Moves = {leaf_of(C): (SIGMA, None)}
    steps, term = [], model.output("'")
    for y in model.tensors():
        here, there = positions("")[y], positions("'")[y]
        own, further = kernel.hyp(here, by_ids("")[y]), kernel.hyp(there, by_ids("'")[y])
        motion = tuple(SIGMA if over == n else None for over in here.sets.values())
        if any(motion):
            moves[leaf_of(here)] = motion
            own = kernel.cong(act(here.node, motion), [own])
            own = chain(own, inward(own.rhs))
        named = chain(further, reindexed(further.rhs, facts))
        steps.append(putting(term, chain(named, inward(named.rhs), kernel.sym(own))))
        term = steps[-1].rhs
    return chain(*steps, pushing(model.output(""), moves).theorem)


# ----------------------------------------------------------------------------------------- names
def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for the states and parts of each model, primed in the other order."""
    found, alike = [Named("C'", PC, "i", "k")], []
    for model, letter in ((MODELS[1], ""), (MODELS[3], "r"), (MODELS[4], "q")):
        here, there = (parts_of(model, of, letter) for of in ORDERS)
        images, pairs = primed(here, there)
        found += [*here, *images]
        alike.append({"C'": "C"} | pairs)
    return [one for one in once(found) if one.term not in (C, x)], tuple(alike)


def parts_of(model: Model, of: str, letter: str) -> list[Named]:
    """Names for the states and parts of each layer: of the context in capital letters, of the query
    in small ones."""
    output, before = model.states(of)
    position, column = {y: positions(of)[y] for y in model.letters}, model.column(of)
    if column:
        position = {y: cat(position[y], t, "j") for y, t in column.items()}
    found = []
    for layer, (tokens, query) in enumerate(before, 1):
        memory, w = cat(tokens, query, "i"), weights(str(layer))
        each = (("H", tokens), ("z", query), ("M", memory))
        found += [Named(f"{y}_{letter}{layer - 1}", t, "i", "k") for y, t in each]
        if layer < len(before):
            own = parts(tokens, position, w, memory if column else None)
            found += own.named("QKVSA", f"_{letter}{layer}")
        of_query = parts(query, model.row(of), w, memory).named("QKVSA", f"_{letter}{layer}")
        found += [replace(y, name=y.name.lower()) for y in of_query]
    return [*found, Named(f"z_{letter}{len(before)}", output, "i", "k")]
