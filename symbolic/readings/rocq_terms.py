"""Terms in the Rocq syntax of proofs/rocq/Calculus.v: sets, maps, indices, names, constructors.

One function for each type of terms.py; each constructor keeps its name. Nothing is simplified, so
that a file written with these says what the term says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from orderproof.symbolic.calculus.terms import Ap, Index, Map, Name, Node, Op, Set


def seq(items: Iterable[str]) -> str:
    """A sequence of what is already in Rocq's syntax."""
    written = "; ".join(items)
    return f"[:: {written}]" if written else "[::]"


def string(text: str) -> str:
    """A string literal: a quotation mark in it is doubled."""
    return '"' + text.replace('"', '""') + '"'


def iset(s: Set) -> str:
    """An index set."""
    match s.name, s.parts:
        case "1", ():
            return "One"
        case "+" | "×", (a, b):
            return f"({'Plus' if s.name == '+' else 'Times'} {iset(a)} {iset(b)})"
    return f"(Sym {string(s.name)})"


def imap(m: Map) -> str:
    """A map of index sets."""
    if m.kind == "symbol":
        name, dom, cod, bijective = m.data
        bij = "true" if bijective else "false"
        return f"(Symbol {string(name)} {seq(map(iset, dom))} {iset(cod)} {bij})"
    data = " ".join(imap(x) if isinstance(x, Map) else iset(x) for x in m.data)
    return f"({m.kind.capitalize()} {data})"


def name(a: Name) -> str:
    """An axis: a slot k >= 0, or a bound axis −1−k."""
    if not isinstance(a, int):
        raise TypeError(f"given the axis {a!r}, expected the number of a slot or of a bound axis")
    return f"Slot {a}" if a >= 0 else f"Bound {-1 - a}"


def iexp(e: Index) -> str:
    """An index expression over slots."""
    if isinstance(e, Ap):
        return f"(Ap {imap(e.map)} {seq(map(iexp, e.args))})"
    return f"(Ax ({name(e)}))"


def op(o: Op, body: Callable[[Node], str]) -> str:
    """A constructor; `body` writes the body of a definition."""
    match o.kind, o.data:
        case "leaf", (str(x), sets):
            return f"(Leaf {string(x)} {seq(map(iset, sets))})"
        case "number", (Fraction() as q,):
            return f"(Number ({q.numerator}) {q.denominator})"
        case "size" | "iota" | "delta" as kind, (a,):
            return f"({kind.capitalize()} {iset(a)})"
        case "pointwise", (str(f), int(arity)):
            return f"(Pointwise {string(f)} {arity})"
        case "reduce", (str(kind), a):
            return f"(Reduce {kind.capitalize()} {iset(a)})"
        case "at", (exprs, old, new):
            sets_ = f"{seq(map(iset, old))} {seq(map(iset, new))}"
            return f"(At {seq(map(iexp, exprs))} {sets_})"
        case "cat", (a, b):
            return f"(Cat {iset(a)} {iset(b)})"
        case "apply", (str(f), formals, Node() as inner):
            fs = seq(f"({string(x.data[0])}, {seq(map(iset, x.data[1]))})" for x in formals)
            return f"(Apply {string(f)} {fs} {body(inner)})"
        case "iterate", (Op("apply", (str(f), formals, Node() as inner)), over):
            fs = seq(f"({string(x.data[0])}, {seq(map(iset, x.data[1]))})" for x in formals)
            return f"(Iterate {string(f)} {fs} {body(inner)} {iset(over)})"
        case "opaque", (str(f), binds, yields):
            bound = seq(seq(map(iset, b)) for b in binds)
            return f"(Opaque {string(f)} {bound} {seq(map(iset, yields))})"
    raise TypeError(f"given the constructor {o.kind}, expected one of the calculus")
