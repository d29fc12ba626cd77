"""What `decide` answers: one result for each pair of an input's axis and an output, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from orderproof.symbolic.ending import Ending, first_of
from orderproof.symbolic.witness.model_file import ENCLOSED, ModelWitness

from .graph import Place, place_text
from .words import OUTPUT, Condition, of_size

PROVED = ("equivariant", "invariant", "subgroup")  # by a theorem
DECIDED = (*PROVED, "not equivariant")


@dataclass(frozen=True)
class GroupFound:
    """Permutations of n places under which the model is equivariant, by generators. Where
    every other one is refuted it is `exact` if all counterexamples are enclosed, else only
    `exact_as_measured`."""

    n: int
    order: int
    generators: tuple[tuple[int, ...], ...]
    name: str
    exact: bool
    exact_as_measured: bool = False


@dataclass(frozen=True)
class StuckAt:
    """A tensor of the model that does not move along, and the node that takes it."""

    tensor: str
    node: str


@dataclass(frozen=True)
class Piece:
    """A piece of evidence: its kind, and the file that holds it, where one was written."""

    kind: str  # kernel, check, constants, enclosed, measured (a counterexample), rocq, derivation
    file: str | None = None
    detail: str = ""


@dataclass(frozen=True)
class Result:
    """One answer, with its scope, and what it rests on."""

    input: str
    axis: int
    along: tuple[Place, ...]  # that are permuted with it
    output: str
    output_axis: int | tuple[int, ...] | None
    answer: str = "unknown"
    scope: str = ""
    conditions: tuple[Condition, ...] = ()
    group: GroupFound | None = None
    stuck: tuple[StuckAt, ...] = ()
    checked: str = ""  # by how many comparisons with onnxruntime the translation was confirmed
    seconds: float = 0.0
    reason: str = ""  # of what is not decided, or of what is open of a group
    witnesses: tuple[ModelWitness, ...] = ()  # one for each claim that is refuted
    rounding: Any = None  # both_sides.Rounding, of a theorem for every permutation
    proof: Any = None  # naturality.Conditional, whose hypotheses need not hold of what is refuted
    reading: Any = None  # reading.Reading, in which it is proved, or which has the output's value
    size: str = "n"  # what the model calls the axis's size
    written: tuple[Piece, ...] = ()  # what was written to files, all witnesses first

    @property
    def decided(self) -> bool:
        """Whether the question has an answer."""
        return self.answer in DECIDED

    @property
    def witness(self) -> ModelWitness | None:
        """The first counterexample."""
        return next(iter(self.witnesses), None)

    @property
    def proved(self) -> bool:
        """Whether it rests on its theorem."""
        return self.proof is not None and self.answer in PROVED

    @property
    def evidence(self) -> tuple[Piece, ...]:
        """What it rests on."""
        found = [Piece("check", detail=self.checked)] if self.checked else []
        if self.proved:
            found.append(Piece("kernel", detail=repr(self.proof.theorem)))
            names = [h.name for h in self.proof.hypotheses]
            found += [Piece("constants", detail=", ".join(names))] if names else []
        return (*found, *(self.written or (Piece(w.evidence) for w in self.witnesses)))

    @property
    def measured(self) -> bool:
        """Whether it rests on a counterexample that nothing encloses."""
        return any(w.evidence != ENCLOSED for w in self.witnesses)

    @property
    def says(self) -> str:
        """The answer with its scope and conditions."""
        scope = f" for {of_size(self.scope, self.size)}" if self.scope and self.decided else ""
        if self.answer == "not equivariant":
            scope = scope.replace(" for ", " at ", 1)
        conditions = [c for c in self.conditions if c != self.scope]
        given = " and ".join(c for c in conditions if c.kind != OUTPUT)
        where = "; ".join(c for c in conditions if c.kind == OUTPUT)
        after = (f" if {given}" if given else "") + (f", where {where}" if where else "")
        return f"{self.named}{scope}{after}"

    @property
    def named(self) -> str:
        """The answer alone, in words."""
        kind = "invariant" if self.output_axis is None else "equivariant"
        words = {"not equivariant": f"not {kind}", "subgroup": f"{kind} under some permutations"}
        return words.get(self.answer, self.answer)

    @property
    def said(self) -> str:
        """The answer with its scope and conditions, and in brackets the question."""
        return f"{self.says} ({self.input}, axis {self.axis} → {self.output})"

    def as_expected(self, expect: str | None) -> bool:
        """Whether it is what a person expects, with nothing moving along but what they named: for
        sizes without bound, or for the one size of a fixed axis."""
        unbounded = self.scope == "all n" or self.scope.startswith("n = ")
        return self.answer == expect and unbounded and not self.conditions

    def to_json(self) -> dict[str, Any]:
        """The result as JSON has it; places are counted from 0."""
        axis = list(self.output_axis) if isinstance(self.output_axis, tuple) else self.output_axis
        group = self.group and {
            **asdict(self.group),
            "generators": [list(g) for g in self.group.generators],
        }
        return {
            "input": self.input,
            "axis": self.axis,
            "with": [place_text(p) for p in self.along],
            "output": self.output,
            "output_axis": axis,
            "answer": self.answer,
            "scope": self.scope,
            "conditions": list(self.conditions),
            "group": group,
            "stuck": [asdict(s) for s in self.stuck],
            "reason": self.reason,
            "evidence": [asdict(e) for e in self.evidence],
            "rounding": self.rounding and self.rounding.to_json(),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Report:
    """All answers about one model file."""

    model: str  # the SHA-256 of the file
    file: str
    results: tuple[Any, ...]  # each a Result, or a dependence.DependenceResult
    notes: Mapping[str, str] = field(default_factory=dict)
    graph: Any = None  # graph.Graph

    def ending(
        self, expect: str | None = None, require: str | None = None, accepted: str | None = None
    ) -> Ending:
        """0 where everything is decided, and as expected; 1 where decided otherwise; 3 where
        something is not decided, and no answer that is `accepted`, or rests on less than is
        required; and why."""

        def done(r: Any) -> bool:
            return bool(r.decided or r.answer == accepted)

        less = [r for r in self.results if require == ENCLOSED and r.measured]
        if less:
            found = [f"measured alone: {r.said}" for r in less]
            return Ending(3, "counterexamples that are enclosed", first_of(found))
        other = [r for r in self.results if done(r) and not r.as_expected(expect)]
        other.sort(key=lambda r: r.answer != "not equivariant")  # what is refuted first
        if other and expect is not None:
            alike = all(r.answer == expect for r in other)
            least = f"{expect} for every size and under no condition" if alike else expect
            return Ending(1, least, first_of([r.said for r in other]))
        left = Counter(r.answer for r in self.results if not done(r))
        if self.results and not left:
            return Ending()
        found = [f"{k} of {len(self.results)} {answer}" for answer, k in left.items()]
        least = "a theorem or a counterexample for each question"
        return Ending(3, least, " and ".join(found) or "no question")

    def to_json(self) -> dict[str, Any]:
        """The report as JSON has it."""
        return {"model": self.model, "results": [r.to_json() for r in self.results]}
