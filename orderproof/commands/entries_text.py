"""Every entry of both sides of a claim, step by step: each tensor from those before it.

Entries are numbered from 1: Q_12 stands in row 1 and column 2 of Q.
"""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from orderproof.proofs.check.claims import TheoremFile
from orderproof.proofs.check.sampling import Case, least_cases, moved_sets, substituted
from orderproof.proofs.marks.sympy_entries import satisfying
from orderproof.proofs.pages.statements import stated, style_of
from orderproof.symbolic.calculus.terms import Node, Term, reachable
from orderproof.symbolic.counting import PEOPLE
from orderproof.symbolic.readings.entries import Entries, Model, evaluate
from orderproof.symbolic.readings.notation import Plain
from orderproof.symbolic.readings.printer import Label
from orderproof.symbolic.readings.sympy_entries import Formulas, entry_symbol
from orderproof.symbolic.statements.statement import Statement

WIDTH = 80
LONG = 60  # letters of an entry from which on its tensor gets a name
LARGEST = 5000  # symbols in an entry of a definition that is written out, say an encoder block


@dataclass(frozen=True)
class Steps:
    """The entries of named tensors in the order of their definition, a symbol and what it is, in
    symbols of tensors and of steps before; and the entries of both sides in these symbols."""

    named: tuple[tuple[sympy.Symbol, Any], ...]
    sides: tuple[Entries, Entries]


def entries(theorem: TheoremFile, tokens: int) -> str:
    """Every entry of both sides of each claim, in generic real symbols that satisfy its hypotheses:
    so many tokens, other sizes at most 2 where the claim admits that, permutations that move all.
    """
    out: list[str] = []
    for number, claim in enumerate(theorem.claims, 1):
        bare = substituted(claim.statement)
        case = least_case(bare, tokens)
        if case is None:
            out.append(f"claim {number}: no case with {tokens} tokens")
            continue
        if (size := largest_definition(bare, case[0])) > LARGEST:
            said = f"an entry of a definition in it has {size} symbols, more than {LARGEST}"
            out.append(_wrapped(f"claim {number}: not printed entry by entry: {said}", ""))
            continue
        found = steps(bare, style_of(theorem).labels, *case)
        out.append(_wrapped(f"claim {number}: {stated(claim, theorem).plain}", ""))
        out.append(_wrapped(f"at {', '.join(_chosen(*case)) or 'its only size'}", "  "))
        out += [_equation(str(symbol), value) for symbol, value in found.named]
        for title, side in zip(("left", "right"), found.sides, strict=True):
            out.append(f"  {title} side")
            for index, value in side.items():
                place = ", ".join(str(k + 1) for k in index)
                out.append(_equation(f"[{place}]", value))
    return "\n".join(out)


def least_case(s: Statement, tokens: int) -> Case | None:
    """Sizes with so many tokens, and permutations that leave the fewest of them in place."""
    permutations, moved, _ = moved_sets(s)
    counted = [x.name for x in moved if x not in s.sizes.of]
    widths = {x.name: min(2, tokens) for x in s.sets}
    names = [m.data[0] for m in permutations]

    def unmoved(case: Case) -> int:
        return sum(k == x for name in names for k, x in enumerate(case[1][name]))

    cases = least_cases(s, tokens, widths)
    fitting = [c for c in cases if all(c[0][name] == tokens for name in counted)]
    return min(fitting, key=unmoved, default=None)


def largest_definition(s: Statement, sizes: Mapping[str, int]) -> int:
    """How many symbols there are in an entry of a definition of the statement, with whatever it is
    applied to standing as one symbol; the most of all."""
    model = Model(sizes)
    nodes = {n for t in s.atom.terms for n in reachable(t.node)}
    return max((_symbols(n.op.data[2], model) for n in nodes if n.op.kind == "apply"), default=0)


def _symbols(whole: Node, model: Model) -> int:
    count: dict[Node, int] = {}
    for n in reachable(whole):
        parts = [count[part.node] for part in n.args]
        if n.op.kind == "reduce":
            count[n] = model.size(n.op.data[1]) * parts[0]
        elif n.op.kind == "apply":
            count[n] = _symbols(n.op.data[2], model) * max(parts, default=1)
        else:
            count[n] = max(1, sum(parts))
    return count[whole]


def steps(s: Statement, labels: Mapping[Node, Label], sizes: Any, maps: Any) -> Steps:
    """Both sides of a statement part by part. The entries of a tensor with a label are named after
    it, and those of a part that is long after its turn: u1, u2. An entry that is the same
    expression as one before it is that one."""
    terms = s.atom.terms
    tensors = {k: f for t in terms for k, f in satisfying(s, t, sizes, maps).tensors.items()}
    model = Model(sizes, maps, tensors)
    taken, names = {*tensors}, (f"u{k}" for k in itertools.count(1))
    known: dict[object, Entries] = {}
    before: dict[Any, Any] = {}
    named: list[tuple[sympy.Symbol, Any]] = []
    for node in sorted({n for t in terms for n in reachable(t.node)}, key=lambda n: n.id):
        slots = tuple(range(len(node.sets)))
        values = evaluate(Term(node, slots), model, Formulas(), known)
        name, order = _name(node, labels, values, names, taken)
        if not name:
            continue
        taken.add(name)
        symbol = entry_symbol(name)
        kept = {}
        for shown, index in sorted((tuple(i[k] for k in order), i) for i in values):
            own = symbol(*shown)
            value = before[values[index]] if values[index] in before else values[index]
            named.append((own, value))
            kept[index] = value if value.is_Atom else before.setdefault(value, own)
        known[next(reversed(known))] = kept  # the node's own, which was put there last
    left, right = (evaluate(t, model, Formulas(), known) for t in terms)
    return Steps(tuple(named), (left, right))


def _name(
    node: Node, labels: Mapping[Node, Label], values: Entries, names: Iterator[str], taken: set[str]
) -> tuple[str, Sequence[int]]:
    """The name of a part, nothing if it needs none, and the order in which its indices stand."""
    if node.op.kind in ("leaf", "number", "size", "iota", "delta"):
        return "", ()
    if node in labels:
        label = labels[node]
        name = Plain().prime(label.name) if label.primed else Plain().symbol(label.name)
        if name not in taken:
            return name, label.order
    if any(len(str(v)) > LONG for v in values.values()):
        return next(x for x in names if x not in taken), range(len(node.sets))
    return "", ()


def _chosen(sizes: Mapping[str, int], maps: Mapping[str, Any]) -> Iterator[str]:
    """Sizes, and maps from 1."""
    to = Plain()
    yield from (f"{to.symbol(name)} = {k}" for name, k in sizes.items())
    for name, table in maps.items():
        if isinstance(table, int):
            yield f"{to.symbol(name)} = {PEOPLE(table)}"
        elif isinstance(table, Sequence):
            places = ", ".join(f"{to.symbol(name)}({PEOPLE(k)})" for k in range(len(table)))
            yield f"({places}) = ({', '.join(map(str, PEOPLE.images(table)))})"


def _equation(name: str, value: Any) -> str:
    return _wrapped(_bare(f"{name} = {value}"), "    ")


def _bare(text: str) -> str:
    """Q_12 for Q_{12}."""
    return re.sub(r"_\{([\d,]+)\}", r"_\1", text)


def _wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "    ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
