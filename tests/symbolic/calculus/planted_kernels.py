"""The calculus compiled anew with one line of its source changed: kernels with a planted fault."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from orderproof import symbolic

FOLDER = Path(symbolic.__path__[0])
FILES = ("calculus/terms", "calculus/kernel", "models/builders")
SOURCES = {  # as files of one folder
    Path(name).name: (FOLDER / f"{name}.py")
    .read_text(encoding="utf-8")
    .replace("from orderproof.symbolic.calculus.terms import", "from .terms import")
    for name in FILES
}
_fresh = count()


class Stale(ValueError):
    """A fault whose place in the source is gone."""


@dataclass(frozen=True)
class Calculus:
    """Modules that belong together: equal terms of two calculi are not the same."""

    terms: Any
    kernel: Any
    builders: Any


@dataclass(frozen=True)
class Edit:
    """A piece of the source of a module, and what stands there instead."""

    module: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {' '.join(self.old.split())} → {' '.join(self.new.split())}"


def compiled(*edits: Edit) -> Calculus:
    """The calculus from its source, with these edits."""
    package = ModuleType(f"planted{next(_fresh)}")
    package.__path__ = []
    sources = dict(SOURCES)
    for edit in edits:
        if (found := sources[edit.module].count(edit.old)) != 1:
            raise Stale(f"{found} times in {edit.module}.py: {edit.old}")
        sources[edit.module] = sources[edit.module].replace(edit.old, edit.new)
    modules = {package.__name__: package}
    sys.modules.update(modules)
    try:
        for name, source in sources.items():
            module = ModuleType(f"{package.__name__}.{name}")
            module.__package__ = package.__name__
            modules[module.__name__] = sys.modules[module.__name__] = module
            exec(compile(source, f"<{module.__name__}>", "exec"), vars(module))
    finally:
        for name in modules:
            sys.modules.pop(name)
    return Calculus(*list(modules.values())[1:])


def dropped() -> dict[str, Edit]:
    """Every side condition in kernel.py and terms.py, each taken for true, by a name: what `need`
    asks for, each part of an `and`, the guard of a `case`, and the converse of what raises."""
    found = {}
    for module in ("kernel", "terms"):
        source = SOURCES[module]
        for function in ast.walk(ast.parse(source)):
            if isinstance(function, ast.FunctionDef) and function.name != "need":
                for node in ast.walk(function):
                    for part, new in _conditions(node):
                        name = f"{function.name}: {' '.join(ast.unparse(part).split())}"
                        name += " (again)" * (name in found)
                        found[name] = _edit(module, source, part, new)
    return found


def _conditions(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    match node:
        case ast.BoolOp(op=ast.And()):
            yield from ((part, "or True") for part in node.values)
        case ast.Call(func=ast.Name(id="need"), args=[ast.Constant(), *_]):
            pass  # need(False, …) stands behind an `if`
        case ast.Call(func=ast.Name(id="need"), args=[whole, *_]):
            yield whole, "or True"
        case ast.match_case(guard=ast.expr() as guard):
            yield guard, "or True"
        case ast.If(body=[ast.Raise() | ast.Expr(ast.Call(func=ast.Name(id="need")))]):
            yield node.test, "and False"


def _edit(module: str, source: str, part: ast.expr, new: str) -> Edit:
    """The statement around a part of the source, with another text for that part."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(row: int, column: int) -> int:
        return starts[row - 1] + len(lines[row - 1].encode()[:column].decode())

    first = offset(part.lineno, part.col_offset)
    last = offset(part.end_lineno or 0, part.end_col_offset or 0)
    begin, end = starts[part.lineno - 1], starts[part.end_lineno or 0]
    while source.count(source[begin:end]) != 1:
        begin = source.rindex("\n", 0, begin - 1) + 1
    return Edit(
        module,
        source[begin:end],
        f"{source[begin:first]}(({source[first:last]}) {new}){source[last:end]}",
    )
