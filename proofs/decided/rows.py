"""The derivation of a model, a line for each tensor: what it is made of, and how σ moves it.

How a tensor moves is read off the kernel's theorem about that part of the term, not computed anew.
A tensor that has the entries of another under other indices (a reshape, a transpose) has no line
of its own: it is that tensor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from orderproof.symbolic.calculus.terms import Ap, Map, Node, Op, Set, Term, map_symbols, reachable
from orderproof.symbolic.derive.equations import act
from orderproof.symbolic.models.builders import Motion, opened_at
from orderproof.symbolic.onnx.values import Leaf, Tensor
from orderproof.symbolic.readings.printer import Style

from .printing import ModelPrinter, Symbols, label, leaf_label, letters_for, letters_of
from .text import Line, Math

MOST = 400  # lines of the table
WIDEST = 600  # letters of a formula


@dataclass(frozen=True)
class Row:
    """A tensor of the model in the derivation."""

    name: str
    node: str
    operator: str
    formula: str
    motion: Line
    why: Line


@dataclass
class Model:
    """The term of an output with what is known of its parts."""

    term: Term
    value: Tensor  # the output
    output: str
    tensors: Mapping[Tensor, Term]
    leaves: Mapping[Op, Leaf]
    calls: Mapping[str, Any]  # graph.Call by the names of its outputs
    over: Set | None
    symbols: Symbols
    sizes: Mapping[Set, int]
    parts: Mapping[Node, Any]  # theorems of the push
    moves: Mapping[Op, Motion]
    hypotheses: Mapping[Op | Map, str]  # (H1), by the tensor or the place that it is about

    def __post_init__(self) -> None:
        self.below = reachable(self.term.node)
        self.named = dict(self._named())
        sets = {s for n in self.below for s in n.sets}
        letters = letters_of(sorted(sets, key=str), self.over)
        leaves = {n: leaf_label(n.op) for n in self.below if n.op.kind == "leaf"}
        labels = leaves | {
            n: label(t.names[0], own.axes) for n, (t, own) in self.named.items() if n not in leaves
        }
        self.style = Style(labels=labels, letters=letters)
        self.printer = ModelPrinter(self.symbols, self.style, self.sizes)
        self.touched = self._touched()
        self._motions: dict[Node, Motion | None] = {}

    def _named(self) -> Iterator[tuple[Node, tuple[Tensor, Term]]]:
        """The first tensor of the graph, in its order, that is a node of the term."""
        place = {name: k for k, name in enumerate(self.calls)}
        own = sorted(
            (t for t in self.tensors if t.names),
            key=lambda t: min(place.get(n, -1) for n in t.names),
        )
        inside, seen = set(self.below), set[Node]()
        for t in own:
            term = self.tensors[t]
            if term.node in inside and term.node not in seen:
                seen.add(term.node)
                yield term.node, (t, term)
        if self.term.node not in seen:  # the output's term was written otherwise
            yield self.term.node, (self.value, self.term)

    def _touched(self) -> set[Node]:
        """The nodes that a moved input is part of."""
        found = set[Node]()
        for node in self.below:
            if any(self.moves.get(node.op, ())) or any(p.node in found for p in node.args):
                found.add(node)
        return found

    # ------------------------------------------------------------------------------- motions
    def motion(self, node: Node) -> Motion | None:
        """What moves each axis of a node by the theorem about it; None where there is none."""
        if node not in self._motions:
            self._motions[node] = self._read_motion(node)
        return self._motions[node]

    def _read_motion(self, node: Node) -> Motion | None:
        if node not in self.touched:
            return (None,) * len(node.sets)
        theorem = self.parts.get(node)
        if theorem is None:
            return None
        if theorem.rhs.node is node:
            return (None,) * len(node.sets)
        part, exprs = opened_at(theorem.rhs)
        if part.node is not node:
            return None
        by_axis = dict(zip(part.axes, exprs.values(), strict=True))
        found = tuple(e.map if isinstance(e := by_axis[a], Ap) else None for a in part.axes)
        return found if act(node, found) == theorem.rhs else None

    # ---------------------------------------------------------------------------------- lines
    def rows(self) -> list[Row]:
        """The lines, in the order of the graph."""
        shown = list(self._shown())[:MOST]
        return [self._row(*x) for x in shown]

    @property
    def lines(self) -> int:
        """How many lines there are, those included that are left out."""
        return sum(1 for _ in self._shown())

    def _shown(self) -> Iterator[tuple[Node, Tensor, Term]]:
        for node, (tensor, term) in self.named.items():
            if node.op.kind != "leaf":
                yield node, tensor, term

    def _row(self, node: Node, tensor: Tensor, term: Term) -> Row:
        slots = dict(zip(term.axes, node.sets, strict=True))
        ordered = {a: slots[a] for a in sorted(slots, key=lambda a: a)}  # type: ignore[arg-type, return-value]
        letters = letters_for(ordered, self.over, self.style)
        opened = Term(node, term.axes)
        left = self.printer.entry(opened, letters)
        right = self.printer.entry(opened, letters, opened=node.op.kind != "leaf")
        formula = f"{left} = {right}" if len(right) <= WIDEST else left
        motion = self.motion(node)
        moved = [
            (letters[a], m) for a, m in zip(term.axes, motion or (), strict=motion is not None) if m
        ] if motion is not None else []  # fmt: skip
        moved.sort(key=lambda pair: pair[0])
        call = self.calls.get(tensor.names[0])
        return Row(
            tensor.names[0], call.name if call else tensor.node, call.op if call else "", formula,
            self._said(node, motion, moved), self._why(node, motion),
        )  # fmt: skip

    def _said(self, node: Node, motion: Motion | None, moved: list[tuple[str, Any]]) -> Line:
        if node not in self.touched:
            return ("no moved input in it",)
        if motion is None:
            return ("–",)
        if not moved:
            return ("not changed",)
        found: list[Any] = []
        for k, (letter, m) in enumerate(moved):
            maps = self.printer.to.applied(self.printer.map(m), [letter])
            found += [", " if k else "", Math(rf"{letter} \mapsto {maps}")]
        return tuple(x for x in found if x != "")

    def _why(self, node: Node, motion: Motion | None) -> Line:
        """Which steps lead to this tensor from those that it is made of."""
        if node not in self.touched or motion is None:
            return ()
        said: dict[str, None] = {}
        todo, seen = [node], {node}
        while todo:
            n = todo.pop()
            if reason := self._reason(n):
                said[reason] = None
            if n.op.kind == "at":
                said |= {h: None for m, h in self.hypotheses.items() if m in map_symbols(n.op)}
            for part in n.args:
                p = part.node
                if p.op in self.hypotheses and self._meets(n, part):
                    said[self.hypotheses[p.op]] = None
                if p not in seen and p in self.touched and p not in self.style.labels:
                    seen.add(p)
                    todo.append(p)
        if any(x.startswith(("a ", "sum", "product", "max", "min")) for x in said):
            said.pop("entry by entry", None)
        return ("; ".join(said),)

    def _meets(self, whole: Node, part: Term) -> bool:
        """Whether a part that stays has an axis that moves in the whole."""
        own = self.motion(whole) or ()
        return any(
            w < 0 or (w < len(own) and own[w] is not None)
            for w in part.axes if isinstance(w, int)
        )  # fmt: skip

    def _reason(self, node: Node) -> str:
        """Why one constructor lets σ pass."""
        inner = [(p, self.motion(p.node)) for p in node.args]
        bound = [
            m for p, own in inner for a, m in zip(p.axes, own or (), strict=False)
            if isinstance(a, int) and a < 0 and m
        ]  # fmt: skip
        match node.op.kind, node.op.data:
            case "reduce", (kind, _):
                word = {"sum": "sum", "prod": "product", "max": "maximum", "min": "minimum"}[kind]
                if bound:
                    return f"a {word} does not depend on the order"
                return f"{word} over what σ does not move"
            case "pointwise", _:
                return "entry by entry"
            case "apply", (name, *_):
                if bound and any(self.motion(node) or ()):
                    return f"{name} follows its argument (lemma)"
                return f"{name} does not see the order (lemma)" if bound else f"{name} row by row"
            case "cat", _:
                return "part by part"
            case "opaque", (name, *_):
                return f"{name} acts on what σ does not move"
            case "at", _:
                return "entries chosen"
        return ""
