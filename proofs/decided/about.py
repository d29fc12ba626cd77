"""One answer about a user's model, with all that its derivation is printed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from orderproof.symbolic.calculus.kernel import Theorem
from orderproof.symbolic.calculus.terms import Map, Name, Set, Term
from orderproof.symbolic.onnx.report import Report, Result

from .printing import Symbols, letters_for
from .rows import Model
from .translation import term_of


@dataclass
class About:
    """What is printed of one result; `calls` are the nodes by the names of their outputs. `model`
    is the term of the output, where it has one; `over` the set that σ permutes."""

    report: Report
    result: Result
    symbols: Symbols
    calls: Mapping[str, Any]
    over: Set | None = field(init=False, default=None)
    model: Model | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        r = self.result
        term = term_of(r)
        if term is None:
            return
        if r.proof is not None and r.proof.same is not None:
            term = r.proof.same.rhs.rename(dict(enumerate(term.axes)))
        self.over = self._moved() or self._tokens()
        self.model = self._model(term)

    def _moved(self) -> Set | None:
        """The set that σ permutes, by the theorem."""
        motions = self.result.proof.pushed.moves.values() if self.pushed else ()
        todo = [m for motion in motions for m in motion if m]
        while todo:
            m = todo.pop()
            if m.kind == "symbol":
                return m.data[2]  # type: ignore[no-any-return]
            todo += [x for x in m.data if isinstance(x, Map)]
        return None

    @property
    def whole(self) -> bool:
        """Whether σ permutes all places of the axis, not those of a part."""
        own = self._tokens()
        return own is None or self.over == own

    def _tokens(self) -> Set | None:
        """The set of the axis in question, where it is one and the term has the input as it is."""
        r, atoms = self.result, self.result.realised.atoms
        for leaf in r.realised.leaves.values():
            if leaf.role == "input" and leaf.source == r.input and leaf.table is None:
                own = atoms.resolve(leaf.dims[r.axis])
                return atoms.set(own[0]) if len(own) == 1 else None
        return None

    def _model(self, term: Term) -> Model:
        r, atoms = self.result, self.result.realised.atoms
        pushed = r.proof.pushed if r.proof is not None else None
        fixed = {
            atoms.set(a): int(a.size)
            for a in atoms.every
            if not (a.factors or a.parts or a.whole) and a.size.is_Integer
        }
        numbers: dict[Any, str] = {}
        for k, (_, b) in enumerate(self.hypotheses(), 1):
            about = [b.node.op] if b.node.op.kind == "leaf" else sorted(b.node.maps, key=repr)
            numbers |= dict.fromkeys(about, f"(H{k})")
        return Model(
            term, r.value, r.output, r.realised.terms, r.realised.leaves, self.calls, self.over,
            self.symbols, fixed,
            pushed.parts if pushed else {}, pushed.moves if pushed else {}, numbers,
        )  # fmt: skip

    @property
    def theorem(self) -> Theorem | None:
        """The kernel's theorem, where there is one."""
        return self.result.proof.theorem if self.result.proof is not None else None

    @property
    def pushed(self) -> bool:
        """Whether the theorem came of a push, with a theorem about each part."""
        return self.result.proof is not None and self.result.proof.pushed is not None

    def hypotheses(self) -> list[tuple[Term, Term]]:
        """The theorem's hypotheses, in a fixed order."""
        theorem = self.theorem
        every = theorem.hyps if theorem is not None else ()
        return sorted(every, key=lambda h: (repr(h[1]), repr(h[0])))

    def letters(self, sets: Mapping[Any, Set], model: Model) -> dict[Name, str]:
        """A letter for each axis."""
        return letters_for(sets, self.over, model.style)
