"""What two marks share: the modules that evaluate for both, computed from the imports of each.

An error in code that two marks share could make both green at once. EVALUATED_BY names the modules
that evaluate for a mark, NOT_COUNTED those that every reading has to share; everything else that
they import, directly or not, counts.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

PACKAGE = "orderproof"
ROOT = Path(__file__).absolute().parents[2]  # the folder of the package's folders

EVALUATED_BY: Mapping[str, Sequence[str]] = {  # Rocq and the solvers evaluate for themselves
    "rocq": ("symbolic.readings.rocq_terms", "symbolic.readings.rocq_statement"),
    "kernel": ("symbolic.calculus.kernel",),
    "smt": ("symbolic.smt.chain", "symbolic.smt.solvers", "symbolic.smt.cvc5_process"),
    "sympy": ("symbolic.readings.sympy_entries",),
    "exact": ("symbolic.readings.exact", "symbolic.witness.replay"),
    "interval": (
        "symbolic.readings.interval",
        "symbolic.readings.entries",
        "symbolic.witness.replay",
    ),
    "numeric": ("numeric.rounding",),
    "paper": (),
    "conjecture": (),
}
NOT_COUNTED: Mapping[str, str] = {
    "symbolic.calculus.terms": "claims are made of terms, so that every mark reads the same ones",
    "symbolic.models.builders": "it builds terms and evaluates none",
    "symbolic.models.attention": "it writes the layers of a model as terms",
    "symbolic.readings.error": "it is the name of an error",
    "symbolic.statements.statement": "it is what is claimed, and what evidence states",
    "symbolic.statements.canonical": "it writes what is claimed",
    "symbolic.statements.text": "it writes what is claimed",
    "symbolic.statements.evidence": "it compares evidence with what is claimed",
    "symbolic.models.names": "it names things in messages",
    "symbolic.counting": "it numbers things in messages",
    "symbolic.strict_json": "it reads JSON and evaluates nothing",
}
CHOSEN = "and the files in proofs/ that choose the sizes, maps and inputs at which marks evaluate"
SAYS = (
    "An error in code that two marks share could make both of them green. These pairs share "
    "what evaluates for both, by the imports of their files; all others share nothing of the kind."
)


@dataclass(frozen=True)
class Shared:
    """Two marks, the files that evaluate for both, and the libraries that both of them use."""

    marks: tuple[str, str]
    files: tuple[str, ...]
    libraries: tuple[str, ...]


def rows(evaluated_by: Mapping[str, Sequence[str]] = EVALUATED_BY) -> list[Shared]:
    """The pairs of marks that share something."""
    used = {mark: reached(tuple(modules)) for mark, modules in evaluated_by.items()}
    found = []
    for pair in combinations(used, 2):
        (one, its), (other, others) = (used[mark] for mark in pair)
        files, libraries = sorted(one & other - set(NOT_COUNTED)), sorted(its & others)
        if files or libraries:
            found.append(Shared(pair, tuple(map(_file, files)), tuple(libraries)))
    return found


def exceptions() -> str:
    """What is not counted, and why, in one sentence."""
    reasons = "; ".join(f"{_file(module)} ({why})" for module, why in NOT_COUNTED.items())
    return f"Not counted: {reasons}; {CHOSEN}."


@cache
def reached(modules: tuple[str, ...], root: Path = ROOT) -> tuple[frozenset[str], frozenset[str]]:
    """The modules of the project that these import, at any depth, themselves included; and the
    libraries. A module is named without the package. An import within a function counts. What is
    not counted is not followed: a statement asks the kernel whether a theorem is its own."""
    seen, todo, libraries = set(modules), list(modules), set[str]()
    while todo:
        for name in _imported(todo.pop(), root):
            package, _, module = name.partition(".")
            if package != PACKAGE:
                libraries.add(package)
            elif module not in seen and (root / _file(module)).is_file():
                seen.add(module)
                todo += [module] if module not in NOT_COUNTED else []
    return frozenset(seen), frozenset(libraries - sys.stdlib_module_names)


def _file(module: str) -> str:
    return module.replace(".", "/") + ".py"


def _imported(module: str, root: Path) -> Iterator[str]:
    """The full name of whatever a module imports, and of what may be a module in it."""
    for node in ast.walk(ast.parse((root / _file(module)).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = [PACKAGE, *module.split(".")][: -node.level] if node.level else []
            whole = ".".join([*above, *([node.module] if node.module else [])])
            yield from (whole, *(f"{whole}.{alias.name}" for alias in node.names))
