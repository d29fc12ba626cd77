"""Documents side by side: the query after them does not see in which order they stand.

Each document has position ids that begin anew, and reads none of the others; inside it, order is
told by ids. The query reads all documents and itself, no document reads the query, and its place is
the same in every order. So a document's tokens carry with them all that says where they stand,
their ids p and their document β, and reordering documents, equal in length or not, permutes tokens
together with p and β. Every layer moves them along, and the query's weighted sums do not see the
order of their terms. Drop one of these hypotheses and some model sees it.
"""

from dataclasses import replace

from orderproof.numeric.layout import Laid, lay
from orderproof.symbolic import kernel
from orderproof.symbolic.language import POINT, add, cat, leaf_of, moved, tensor
from orderproof.symbolic.plan import plan_of
from orderproof.symbolic.position_models import (
    CONTEXT,
    FEATURES,
    SIGMA,
    parts,
    query_after,
    weights,
)
from orderproof.symbolic.tactic import Motion
from orderproof.symbolic.terms import Term, opened

from .claims import Check, Claim, Named, StuckError, TheoremFile, equality, nearby, pushing
from .marks import by_kernel, by_sympy_to
from .marks_numeric import by_numpy, by_numpy_differs
from .naming import like, once, primed
from .script import main
from .travelling import (
    as_meant,
    by_ids,
    in_blocks,
    moved_along,
    parts_named,
    row_by_ids,
    show,
)
from .witnesses import Witness, by_exact

C, x = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)


def place_of_query(suffix: str = "") -> Term:
    """The row that is added to the query."""
    return tensor(f"e{suffix}", i=POINT, k=FEATURES)


PLACE_OF_QUERY = place_of_query()
DEPTHS = (1, 2)
Positions = dict[str, Term]


def output(
    context: Term, position: Positions, row: Positions, depth: int, own: Term = PLACE_OF_QUERY
) -> Term:
    """What the query reads after so many layers; `own` is added to it."""
    return states(context, position, row, depth, own)[0]


def states(
    context: Term, position: Positions, row: Positions, depth: int, own: Term = PLACE_OF_QUERY
) -> tuple[Term, list[tuple[Term, Term]]]:
    """The same, with the states of context and query before each layer."""
    tokens, query = add(context, position["E"]), add(x, own)
    return query_after(tokens, query, position, row, depth)


def by_tables(*, along: bool = False) -> tuple[Positions, Positions]:
    """Everything by ids and documents, of the context and of the query; moved along or not."""
    position = by_ids("EBG")
    position["G"] = in_blocks(position["G"])
    return moved_along(position) if along else position, row_by_ids(along=along)


def bare(suffix: str = "") -> tuple[Positions, Positions]:
    """The same with tensors of which nothing is known."""
    n = CONTEXT
    position = {
        "E": tensor(f"E{suffix}", i=n, k=FEATURES),
        "G": tensor(f"G{suffix}", i=n, j=n),
        "B": tensor(f"B{suffix}", i=n, j=n),
    }
    row = {
        y: cat(tensor(f"{y.lower()}{suffix}", j=n), tensor(f"q_{y}", j=POINT), "j") for y in "BG"
    }
    return position, row


def theorem() -> TheoremFile:
    """Two depths, by pushing; and four plans that break a hypothesis, with the two orders."""
    claims = [claim(depth) for depth in DEPTHS]
    dropped = [broken(name) for name in PLANS]
    position, row = by_tables()
    named, alike = names()
    return TheoremFile(
        id="documents_in_parallel",
        title="Documents in parallel: the query after them sees no order of them",
        words="If every document's ids begin anew, no document reads another or the query, order "
        "inside documents is kept, all masks and biases come from ids, and the query's place does "
        "not depend on the order, then reordering the documents changes nothing that the query "
        "reads, at any depth (1 and 2 are derived; a layer more is one more step of the same).",
        source="[SBP] McIlroy-Young et al. 2024",
        citations=("mcilroyyoung2024",),
        claims=(*claims, *dropped),
        show=show(*named, alike=alike),
        neighbour=nearby(
            claims[0],
            "The ids stay with the places, and do not travel with the documents.",
            lhs=output(moved(C, i=SIGMA), position, row, 1),
        ),
        neighbours=tuple(
            nearby(c, "The same order on both sides shows nothing.", lhs=c.rhs) for c in dropped
        ),
        uses=("positions_that_travel", "causal_last_token_invariant"),
    )


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for states and parts: of bare tensors and, primed, of those in another order; of tables
    and, primed, of C and tables moved along; of PC with ids that stay. And what is like what."""
    (by_id, row), along = by_tables(), by_tables(along=True)
    PC = moved(C, i=SIGMA)
    bare_parts, id_parts = parts_of(C, *bare()), parts_of(C, by_id, row)
    read = [replace(x, name=below(x.name, "p")) for x in id_parts]
    still = [replace(x, name=below(x.name, "s")) for x in parts_of(PC, by_id, row)]
    other, like_bare = primed(bare_parts, parts_of(C, *bare("'"), place_of_query("'")))
    images, like_read = primed(read, parts_of(PC, *along))
    tokens = Named("C'", PC, "i", "k")
    alike = (
        like(read, bare_parts),
        {"C'": "C"} | like_read,
        {"C'": "C"} | like(still, read),
        {"e'": "e"} | like_bare,
    )
    return once([*bare_parts, *read, tokens, *images, *still, *other]), alike


def below(name: str, letter: str) -> str:
    """z_p1 of z_1."""
    base, _, number = name.partition("_")
    return f"{base}_{letter}{number}"


def parts_of(
    context: Term, position: Positions, row: Positions, own: Term = PLACE_OF_QUERY
) -> list[Named]:
    """Names for the position tensors, and for the states and parts of each layer: of the context in
    capital letters, of the query in small ones."""
    output, before = states(context, position, row, max(DEPTHS), own)
    found = [Named(x, position[x], *position[x].axes) for x in "EBG"]
    found += [Named(x, t, "j") for x, t in zip("bg", of_context(row), strict=True)]
    found += [Named(x, t, "j") for x, t in zip("uw", row.values(), strict=True)]
    for layer, (tokens, query) in enumerate(before, 1):
        memory, w = cat(tokens, query, "i"), weights(str(layer))
        each = (("H", tokens), ("z", query), ("M", memory))
        found += [Named(f"{x}_{layer - 1}", t, "i", "k") for x, t in each]
        if layer < len(before):
            found += parts_named(parts(tokens, position, w), f"_{layer}", "QKVSA")
        own_parts = parts_named(parts(query, row, w, memory), f"_{layer}", "QKVSA")
        found += [replace(x, name=x.name.lower()) for x in own_parts]
    return [*found, Named(f"z_{len(before)}", output, "i", "k")]


def claim(depth: int) -> Claim:
    """The query's output is the same, C, p and β moved along."""
    position, row = bare()
    free = output(C, position, row, depth)
    context = {leaf_of(t): t for t in (C, *position.values(), *of_context(row))}
    pushed = pushing(free, {op: _motion(t) for op, t in context.items()})
    if any(pushed.motion):
        raise StuckError("the query was expected to stay where it is")
    (tables, table_row), along = by_tables(), by_tables(along=True)
    puts = {**{leaf_of(position[y]): (position[y], tables[y]) for y in position},
            **{leaf_of(t): (t, s) for t, s in
               zip(of_context(row), of_context(table_row), strict=True)}}  # fmt: skip
    proof = kernel.inst(pushed.theorem, {op: _slots(*pair) for op, pair in puts.items()})
    marks: dict[str, Check] = {
        "kernel": by_kernel,
        "sympy": by_sympy_to(3, d=2, m=3, h=2),
        "numeric": by_numpy(drawn=as_meant),
    }
    return equality(
        output(moved(C, i=SIGMA), *along, depth), output(C, tables, table_row, depth), proof,
        marks, row="i", column="k", scope=f"all n, all widths, depth {depth}",
    )  # fmt: skip


def of_context(row: Positions) -> list[Term]:
    """The part of the query's row that is about the context."""
    found = []
    for t in row.values():
        _, (part, _), ((axis,), _), _ = opened(t)
        found.append(part.rename({axis: "j"}))
    return found


def _motion(t: Term) -> Motion:
    """σ on every axis of places."""
    return tuple(SIGMA if s == CONTEXT else None for s in t.sets.values())


def _slots(t: Term, stands: Term) -> Term:
    """What stands for a tensor, with its slots as axes."""
    return stands.rename({a: slot for slot, a in enumerate(t.axes)})


# -------------------------------------------------------------------- a hypothesis that is dropped
A, B = ({"name": name, "length": 1, "start": 0, "attends": [], "causal": False} for name in "AB")
INSIDE = "another order inside a document"
QUERY = {"name": "q", "length": 1, "start": 1, "attends": ["A", "B"]}
PLANS = {  # what is dropped: a plan without it, depth, W_Q, the tokens; the rest by `broken`
    "ids that go on from one document to the next": (
        ({**A, "start": "continue"}, {**B, "start": "continue"}, QUERY), 1, 1, (1, 0),
    ),
    "a document that reads those before it": (
        ({**A, "attends": "earlier"}, {**B, "attends": "earlier"}, QUERY), 2, 0, (1, 0),
    ),
    "a query that stands after the last document, of another length": (
        (A, {**B, "length": 2}, {**QUERY, "start": "continue"}), 1, 0, (1, 0, 0),
    ),
    INSIDE: (({**A, "length": 2, "causal": True}, {**QUERY, "attends": ["A"]}), 2, 0, (1, 0)),
}  # fmt: skip


def broken(dropped: str) -> Claim:
    """Two orders of the same documents, and the query's output that differs."""
    segments, depth, looking, values = PLANS[dropped]
    plan = plan_of({"scheme": "learned", "segments": [*segments]})
    here = lay(plan, plan.segments)
    there = lay(plan, (*reversed(plan.segments[:-1]), plan.segments[-1]))
    if dropped == INSIDE:
        order = [1, 0, 2]
        there = Laid(here.ids[order], here.allowed[order][:, order])
    tensors: dict[str, object] = {"C": [[v] for v in values], "x": [[0]]}
    sides = []
    for suffix, laid in (("", here), ("'", there)):
        inside = [[int(v) for v in row[:-1]] for row in laid.allowed[:-1]]
        tensors |= {
            f"E{suffix}": [[int(v)] for v in laid.ids[:-1]], f"e{suffix}": [[int(laid.ids[-1])]],
            f"G{suffix}": inside, f"B{suffix}": [[0] * len(inside)] * len(inside),
            f"g{suffix}": [int(v) for v in laid.allowed[-1][:-1]], f"b{suffix}": [0] * len(inside),
        }  # fmt: skip
        sides.append(output(C, *bare(suffix), depth, place_of_query(suffix)))
    for layer in map(str, range(1, depth + 1)):
        tensors |= {f"W_Q{layer}": [[looking]], f"W_K{layer}": [[1]], f"W_V{layer}": [[1]]}
    tensors |= {"q_B": [0], "q_G": [1]}
    size = len(values)
    witness = Witness({"n": size, "d": 1}, {}, tensors, query="W_Q1")
    return Claim(
        "exists", sides[1], sides[0],
        {"exact": by_exact([witness]), "numeric": by_numpy_differs([witness])},
        scope=f"two orders, with {dropped}", relation="≠", row="i", column="k",
        sizes={CONTEXT: ("∈", (size,)), FEATURES: ("∈", (1,))},
    )  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
