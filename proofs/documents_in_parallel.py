"""Documents side by side: the query after them does not see in which order they stand.

Each document has position ids that begin anew, and reads none of the others; inside it, order is
told by ids. The query reads all documents and itself, no document reads the query, and its place is
the same in every order. So a document's tokens carry with them all that says where they stand,
their ids p and their document β, and reordering documents, equal in length or not, permutes tokens
together with p and β. Every layer moves them along, and the query's weighted sums do not see the
order of their terms. Drop one of these hypotheses and some model sees it.
"""

import itertools
from dataclasses import replace

from orderproof.numeric.layout import Laid, lay
from orderproof.symbolic import kernel
from orderproof.symbolic.language import POINT, add, cat, leaf_of, moved, number, tensor
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
from orderproof.symbolic.terms import Term, opened, reachable

from .claims import (
    Atom,
    Check,
    Claim,
    Named,
    Sentence,
    StuckError,
    TheoremFile,
    differs,
    equality,
    nearby,
    pushing,
    sizes,
)
from .marks import by_sympy_to
from .marks_numeric import by_numpy, by_numpy_differs
from .naming import like, once, primed
from .script import main
from .travelling import (
    IDS,
    by_ids,
    column_by_ids,
    in_blocks,
    moved_along,
    parts_named,
    row_by_ids,
    show,
)
from .witnesses import Witness, by_exact

MASKS = (  # weights by ids: of the context, of the query, of both for each other
    tensor("T_G", i=IDS, j=IDS), tensor("t_G", j=IDS), tensor("q_G", j=POINT),
    tensor("s_G", i=IDS, j=POINT),
)  # fmt: skip
C, x = tensor("C", i=CONTEXT, k=FEATURES), tensor("x", i=POINT, k=FEATURES)


def place_of_query(suffix: str = "") -> Term:
    """The row that is added to the query."""
    return tensor(f"e{suffix}", i=POINT, k=FEATURES)


PLACE_OF_QUERY = place_of_query()
DEPTHS = (1, 2)
Positions = dict[str, Term]
ABSOLUTE, ROTARY = "EBG", "RG"  # rows, biases and masks; rotations and masks
WHOLE = {"B": "u", "G": "w", "R": "v"}  # names of what the query has of context and itself


def output(
    context: Term,
    position: Positions,
    row: Positions,
    depth: int,
    own: Term = PLACE_OF_QUERY,
    column: Positions | None = None,
) -> Term:
    """What the query reads after so many layers; `own` is added to it, where rows are."""
    return states(context, position, row, depth, own, column)[0]


def states(
    context: Term,
    position: Positions,
    row: Positions,
    depth: int,
    own: Term = PLACE_OF_QUERY,
    column: Positions | None = None,
) -> tuple[Term, list[tuple[Term, Term]]]:
    """The same, with the states of context and query before each layer."""
    tokens, query = (add(context, position["E"]), add(x, own)) if "E" in position else (context, x)
    return query_after(tokens, query, position, row, depth, column)


def by_tables(letters: str = ABSOLUTE, *, along: bool = False) -> tuple[Positions, Positions]:
    """Everything by ids and documents, of the context and of the query; moved along or not."""
    position = by_ids(letters)
    position["G"] = in_blocks(position["G"])
    row = row_by_ids(letters.replace("E", ""), along=along)
    return moved_along(position) if along else position, row


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


def rotary() -> tuple[Positions, Positions]:
    """Rotations and masks of which nothing is known."""
    (position, row), turn = bare(), {"c": FEATURES, "e": FEATURES}
    key = cat(tensor("r", j=CONTEXT, **turn), tensor("q_R", j=POINT, **turn), "j")
    context = {"R": tensor("R", i=CONTEXT, j=CONTEXT, **turn), "G": position["G"]}
    return context, {"R": key, "G": row["G"]}


def theorem() -> TheoremFile:
    """Two depths, by pushing; and four plans that break a hypothesis, with the two orders."""
    claims = [claim(depth) for depth in DEPTHS]
    turned = [claim(depth, ROTARY) for depth in DEPTHS]
    reading = claim(max(DEPTHS), reads=True)
    dropped = [broken(name) for name in PLANS]
    (position, row), along = by_tables(), by_tables(along=True)
    PC, rotated, still = moved(C, i=SIGMA), by_tables(ROTARY), column_by_ids()
    named, alike = names()
    return TheoremFile(
        id="documents_in_parallel",
        title="Documents in parallel: the query after them sees no order of them",
        words=(
            Sentence(
                "If the rows, biases and masks come from position ids, a document's tokens "
                "carry their ids with them, no document reads another or the query, and the "
                "query's place does not depend on the order, then reordering the tokens of "
                "the context with their ids and documents changes nothing that the query "
                "reads, after one layer and after two.",
                (0, 1),
            ),
            Sentence(
                "So it is with rotary positions.",
                (2, 3),
            ),
            Sentence(
                "If the documents read the query, by their ids, it is so after two layers.",
                (4,),
            ),
            Sentence(
                "If ids go on from one document to the next, if a document reads those before "
                "it, if the query stands after the last document, if a bias tells the place "
                "in the prompt, or if the order inside a document changes, two orders can "
                "give the query different outputs.",
                (5, 6, 7, 8, 9),
            ),
        ),
        source="[SBP] McIlroy-Young et al. 2024",
        citations=("mcilroyyoung2024",),
        claims=(*claims, *turned, reading, *dropped),
        show=show(*named, alike=alike),
        neighbour=nearby(
            claims[0],
            "The ids stay with the places, and do not travel with the documents.",
            lhs=output(PC, position, row, 1),
        ),
        neighbours=(
            nearby(
                turned[0],
                "The same of rotations that stay with the places.",
                lhs=output(PC, *rotated, 1),
            ),
            nearby(
                reading,
                "Here, what documents and query see of each other stays with the places.",
                lhs=output(PC, *along, max(DEPTHS), column=still),
            ),
            *(nearby(c, "The same order on both sides shows nothing.", lhs=c.rhs) for c in dropped),
        ),
        uses=("positions_that_travel", "causal_last_token_invariant"),
    )


def names() -> tuple[list[Named], tuple[dict[str, str], ...]]:
    """Names for states and parts: of bare tensors and, primed, of those in another order; of tables
    and, primed, of C and tables moved along; of PC with ids that stay; of rotations, and of a
    context that reads the query. And what is like what."""
    (by_id, row), along = by_tables(), by_tables(along=True)
    (turning, key), turned = by_tables(ROTARY), by_tables(ROTARY, along=True)
    PC, own = moved(C, i=SIGMA), PLACE_OF_QUERY
    bare_parts, id_parts = parts_of(C, *bare()), parts_of(C, by_id, row)
    read = [replace(x, name=below(x.name, "p")) for x in id_parts]
    still = [replace(x, name=below(x.name, "s")) for x in parts_of(PC, by_id, row)]
    rotated = [replace(x, name=below(x.name, "r")) for x in parts_of(C, turning, key)]
    seen = parts_of(C, by_id, row, own, column_by_ids())
    seen = [replace(x, name=below(x.name, "q")) for x in seen]
    other, like_bare = primed(bare_parts, parts_of(C, *bare("'"), place_of_query("'")))
    images, like_read = primed(read, parts_of(PC, *along))
    rotated_images, like_rotated = primed(rotated, parts_of(PC, *turned))
    seen_images, like_seen = primed(seen, parts_of(PC, *along, own, column_by_ids(along=True)))
    tokens = Named("C'", PC, "i", "k")
    alike = (
        like(read, bare_parts),
        {"C'": "C"} | like_read,
        {"C'": "C"} | like(still, read),
        {"e'": "e"} | like_bare,
        {"C'": "C"} | like_read | like_rotated,
        {"C'": "C"} | like_read | like_seen,
    )
    several = (read, (tokens,), images, still, other, rotated, rotated_images, seen, seen_images)
    named = once([*bare_parts, *itertools.chain(*several)])
    return [one for one in named if one.term not in (C, x)], alike


def below(name: str, letter: str) -> str:
    """z_p1 of z_1."""
    base, _, number = name.partition("_")
    return f"{base}_{letter}{number}"


def parts_of(
    context: Term,
    position: Positions,
    row: Positions,
    own: Term = PLACE_OF_QUERY,
    column: Positions | None = None,
) -> list[Named]:
    """Names for the position tensors, and for the states and parts of each layer: of the context in
    capital letters, of the query in small ones."""
    output, before = states(context, position, row, max(DEPTHS), own, column)
    found = [placed(x, t) for x, t in position.items()]
    found += [placed(y.lower(), t) for y, t in zip(row, of_context(row), strict=True)]
    found += [placed(WHOLE[y], t) for y, t in row.items()]
    if column is not None:
        found += [placed(f"{y}_s", t) for y, t in column.items()]
        position = {y: cat(position[y], t, "j") for y, t in column.items()}
    for layer, (tokens, query) in enumerate(before, 1):
        memory, w = cat(tokens, query, "i"), weights(str(layer))
        each = (("H", tokens), ("z", query), ("M", memory))
        found += [Named(f"{x}_{layer - 1}", t, "i", "k") for x, t in each]
        if layer < len(before):
            read = None if column is None else memory
            found += parts_named(parts(tokens, position, w, read), f"_{layer}", "QKVSA")
        own_parts = parts_named(parts(query, row, w, memory), f"_{layer}", "QKVSA")
        found += [replace(x, name=x.name.lower()) for x in own_parts]
    return [*found, Named(f"z_{len(before)}", output, "i", "k")]


def placed(name: str, t: Term) -> Named:
    """A name for a position tensor, as a matrix where it is one."""
    return Named(name, t, *(t.axes if len(t.axes) <= 2 else ()))


def claim(depth: int, letters: str = ABSOLUTE, *, reads: bool = False) -> Claim:
    """The query's output is the same, C, p and β moved along; the context may read the query."""
    position, row = bare() if letters == ABSOLUTE else rotary()
    column, table, along_table = None, None, None
    if reads:
        column = {y: tensor(f"s_{y}", i=CONTEXT, j=POINT) for y in "BG"}
        table, along_table = column_by_ids(), column_by_ids(along=True)
    free = output(C, position, row, depth, column=column)
    context = {leaf_of(t): t for t in (C, *position.values(), *of_context(row))}
    context |= {leaf_of(t): t for t in (column or {}).values()}
    pushed = pushing(free, {op: _motion(t) for op, t in context.items()})
    if any(pushed.motion):
        raise StuckError("the query was expected to stay where it is")
    (tables, table_row), along = by_tables(letters), by_tables(letters, along=True)
    pairs = [*((position[y], tables[y]) for y in position),
             *zip(of_context(row), of_context(table_row), strict=True),
             *((t, (table or {})[y]) for y, t in (column or {}).items())]  # fmt: skip
    proof = kernel.inst(pushed.theorem, {leaf_of(t): _slots(t, stands) for t, stands in pairs})
    said = letters == ROTARY or reads
    named = {n.op for n in reachable(proof.rhs.node)}
    marks: dict[str, Check] = {
        "sympy": by_sympy_to(3, d=2 if depth == 1 or not said else 1, m=3, h=2),
        "numeric": by_numpy(scale=1 / 2),
    }
    return equality(
        output(moved(C, i=SIGMA), *along, depth, column=along_table),
        output(C, tables, table_row, depth, column=table), proof,
        marks, row="i", column="k",
        given=[Atom(number(0), "<", t) for t in MASKS if leaf_of(t) in named],
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
PLACED = "a bias of the place in the prompt, which no id tells"
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
    PLACED: ((A, B, QUERY), 1, 0, (1, 0)),
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
    if dropped == PLACED:  # what stands first gets a weight of 2 for 1
        tensors |= {"b": [1, 0], "b'": [0, 1]}
    for layer in map(str, range(1, depth + 1)):
        tensors |= {f"W_Q{layer}": [[looking]], f"W_K{layer}": [[1]], f"W_V{layer}": [[1]]}
    tensors |= {"q_B": [0], "q_G": [1]}
    size = len(values)
    logs = ("b", "b'") if dropped == PLACED else ()  # 1 in units of ln 2: a weight of 2
    witness = Witness({"n": size, "d": 1}, {}, tensors, query="W_Q1", logs=logs)
    return differs(
        sides[1], sides[0], {"exact": by_exact([witness]), "numeric": by_numpy_differs([witness])},
        row="i", column="k", over=sizes(among={CONTEXT: (size,), FEATURES: (1,)}),
    )  # fmt: skip


if __name__ == "__main__":
    main(__spec__)
