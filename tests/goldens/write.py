"""What orderproof prints, as data in this folder: written here, compared by test_goldens.py.

python -m tests.goldens.write [KIND…]

A kind of golden is a file KIND.json: for each item (a theorem, a scheme, a model, a command line)
what is printed about it. Nothing measured is in it, and nothing found by search: no seconds, no
version, no identifier of the source tree, no path, no generators, no numbers of a counterexample.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import io
import json
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from orderproof import __version__, source_tree
from orderproof import command_line as cli
from orderproof.check.claims import Atom, ByKernel, Claim, Maker, Witness
from orderproof.check.marks.joined import Joined
from orderproof.check.marks.smt import Certified
from orderproof.proofs.catalogue import IDS, load
from orderproof.symbolic.calculus.terms import Term
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.statements.statement import Statement
from orderproof.symbolic.statements.text import digest
from tests.models.files import model_file, read_bank

HERE = Path(__file__).parent
BANK = read_bank()
SIZES = (8, 40)  # tokens, of groups
WIDTH = 120  # characters of a line of JSON, up to which lists and objects are kept on it
SEARCHED = {"generators", "sigma", "file"}  # fields that a search, or the folder, decides
HANGS = ("--timeout", "3600")  # seconds that stop what hangs; no answer depends on them
MEASURED = {"seconds", "rounding"}


def printed(*arguments: str) -> tuple[int, str, str]:
    """Exit status, standard output and errors of a command, run in this process."""
    out, err = io.StringIO(), io.StringIO()
    status = 0
    with (
        patch.object(sys, "argv", ["orderproof", *arguments]),
        patch.dict(os.environ),
        patch.object(source_tree, "identifier", lambda: None),  # another one at each commit
    ):
        os.environ["COLUMNS"] = "80"
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                cli.main()
            except SystemExit as end:
                status = int(end.code or 0)
    return status, out.getvalue(), err.getvalue()


def _answer(*arguments: str) -> str:
    """What a command prints, the version left out."""
    status, out, err = printed(*arguments)
    if status:
        raise RuntimeError(f"orderproof {' '.join(arguments)}: status {status}: {err}")
    return out.replace(__version__, "VERSION")


def _lines(*arguments: str) -> list[str]:
    """The same by lines."""
    return _answer(*arguments).splitlines()


def without(data: Any, fields: set[str]) -> Any:
    """JSON without these fields, at any depth."""
    if isinstance(data, dict):
        return {k: without(v, fields) for k, v in data.items() if k not in fields}
    return [without(v, fields) for v in data] if isinstance(data, list) else data


def numbers_hidden(text: str) -> str:
    """A sentence with # for each number and list of numbers: which ones a search found."""
    return re.sub(
        r"(?<![\w^.-])-?\d+(/\d+|\.\d+…?)?", "#", re.sub(r"\[[\d\s,\[\]]*\]", "[#]", text)
    )


def _table(_: str) -> Any:
    """Every cell: the verdict, and why."""
    with tempfile.TemporaryDirectory() as folder:
        rows = json.loads(_answer("table", "--json", "--no-cache", "--jobs", "1", "--out", folder))
    found = {f"{row['scheme']}, {row['symmetry']}": without(row, SEARCHED) for row in rows}
    for cell in found.values():
        cell["reason"] = re.sub(r"σ = \[[\d, ]*\]", "σ = [#]", cell["reason"])
    if len(found) != len(rows):
        raise RuntimeError("expected a cell for each scheme and symmetry")
    return found


def _symmetry(scheme: str) -> Any:
    """The exact group for each of the sizes; permutations outside without those that were found."""
    found: dict[str, Any] = {}
    for n in SIZES:
        options = ["--blocks", "3,2,2" if n == 8 else "7,13,19"] if scheme == "documents" else []
        status, out, err = printed(
            "symmetry", "--scheme", scheme, "--n", str(n), "--json", *options
        )
        data = without(json.loads(out) if out else {"status": status, "error": err}, SEARCHED)
        for each in data.get("outside", []):
            each["claim"] = numbers_hidden(each["claim"])
        data["why"] = [re.sub(r"\d+ generators?", "# generators", w) for w in data.get("why", [])]
        found[f"n = {n}"] = data
    return found


def _search(scheme: str) -> Any:
    """The answer about permutations at n = 4 (5 where a query follows documents of two tokens) and
    d = 2, and what `replay` says of its file."""
    n = "5" if scheme == "documents" else "4"
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["search", "--scheme", scheme, "--n", n, "--d", "2", *HANGS]
        status, out, _ = printed(*arguments, "--out", folder, "--json")
        data = json.loads(out)
        replayed = None
        if data["file"]:
            of_replay, text, _ = printed("replay", data["file"])
            replayed = {"status": of_replay, "says": numbers_hidden(text)}
    data["reason"] = numbers_hidden(data["reason"])
    return {"status": status, "answer": without(data, SEARCHED), "replay": replayed}


def _decide(name: str) -> Any:
    """The answers to all questions of the bank about a model."""
    (model,) = (m for m in BANK if m["file"] == name)
    found = {}
    for q in model["questions"]:
        along = [f"{other}:{k}" for other, k in q["with"]]
        arguments = ["--axis", f"{q['input']}:{q['axis']}", "--output", q["output"]]
        arguments += [word for each in along for word in ("--with", each)]
        question = ", ".join([f"{q['input']}:{q['axis']}", *along, q["output"]])
        status, out, err = printed("decide", str(model_file(name)), *arguments, *HANGS, "--json")
        result = json.loads(out)["results"] if out else err
        for each in result if out else ():
            said = (f"{e['kind']} {e['detail']}".strip() for e in each["evidence"])
            each["evidence"] = list(dict.fromkeys(said))  # of several witnesses one
            each["stuck"] = len(each["stuck"])  # which comes first depends on terms made before
        found[question] = {"status": status, "results": without(result, SEARCHED | MEASURED)}
    return found


def _refusal(line: str) -> Any:
    """Exit status and the line on standard error, in a folder with the files of inputs/ and a model
    of the bank."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for path in (model_file("encoder_hand_pre.onnx"), *(HERE / "inputs").iterdir()):
            Path(path.name).write_bytes(path.read_bytes())
        before = sorted(os.listdir())
        status, out, err = printed(*shlex.split(line))
        written = [name for name in sorted(os.listdir()) if name not in before]
    if out or written:
        raise RuntimeError(f"{line}: refused, yet printed {out!r} and wrote {written}")
    return {"status": status, "error": err.removesuffix("\n")}


@dataclass(frozen=True)
class Kind:
    """A kind of golden: its items, and what is printed about one; slow where that takes minutes."""

    items: Callable[[], list[str]]
    made: Callable[[str], Any]
    slow: bool = False


def _schemes() -> list[str]:
    return list(POSITION_SCHEMES)


def kept(kind: str) -> dict[str, Any]:
    """A golden as it is in this folder."""
    path = HERE / f"{kind}.json"
    data: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    return data


def _said(x: Any) -> str:
    """What makes a check, in words: its name, and what it is made of."""
    if isinstance(x, Maker):
        parts = [*map(_said, x.arguments), *(f"{k}={_said(v)}" for k, v in x.options)]
        return f"{x.name}({', '.join(parts)})" if x.called else x.name
    if isinstance(x, ByKernel):
        return f"kernel, {len(x.theorem.hyps)} hypotheses, law {x.theorem.law}"
    if isinstance(x, Joined):
        lemmas = (f"{digest(lemma.statement)[:8]} by {_said(lemma.data)}" for lemma in x.lemmas)
        return f"joined: {'; '.join(lemmas)}"
    if isinstance(x, Witness):
        values = sorted((name, str(value)) for name, value in x.tensors.items())
        hidden = hashlib.sha256(f"{values} {x.query} {x.logs}".encode()).hexdigest()[:8]
        return f"{x.sizes} {x.maps} {hidden}"
    if isinstance(x, Term):
        x = Atom(x, "=", x)
    if isinstance(x, Atom):
        return digest(Statement(x))[:8]
    if isinstance(x, partial):
        return f"{_said(x.func)} with {', '.join(map(_said, x.args))}"
    if isinstance(x, tuple | list):
        return f"({', '.join(map(_said, x))})"
    if callable(x) and hasattr(x, "__qualname__"):
        held = [cell.cell_contents for cell in getattr(x, "__closure__", None) or ()]
        said = [_said(y) for y in held if isinstance(y, bool | int | str) or inspect.isfunction(y)]
        return f"{x.__qualname__} of {', '.join(said)}" if said else str(x.__qualname__)
    return str(x) if isinstance(x, str | int | float | dict | Fraction) else type(x).__name__


def _made_of(name: str) -> Any:
    """What each sentence, claim and falsehood of a theorem carries: claims, makers of marks, and of
    certificates how many questions there are; what a falsehood states, and why it is one."""
    theorem = load(name)

    def made(claim: Claim) -> dict[str, str]:
        return {mark: _said(claim.unmade(mark)) for mark in claim.marks}

    planted = [
        {"states": digest(n.claim.statement), "reason": n.reason, "marks": made(n.claim)}
        for n in theorem.neighbours
    ]
    served = (
        check.served(c.statement).values() if isinstance(check, Certified) else ()
        for c in theorem.claims for check in [c.marks.get("smt")]
    )  # fmt: skip
    return {
        "words": [[*s.claims, *s.headlines] for s in theorem.words], "iffs": theorem.iffs,
        "marks": [made(c) for c in theorem.claims], "questions": [sum(map(len, x)) for x in served],
        "planted": planted,
    }  # fmt: skip


KINDS = {
    "marks": Kind(lambda: list(IDS), _made_of),
    "list": Kind(lambda: ["all"], lambda _: _lines("list")),
    "show": Kind(lambda: list(IDS), lambda name: _lines("show", name)),
    "latex": Kind(lambda: list(IDS), lambda name: _lines("show", "--latex", name)),
    "cite": Kind(lambda: list(IDS), lambda name: _lines("cite", name)),
    "digests": Kind(lambda: ["all"], lambda _: _lines("digests")),
    "table": Kind(lambda: ["all"], _table),
    "symmetry": Kind(_schemes, _symmetry),
    "search": Kind(_schemes, _search),
    "decide": Kind(lambda: [model["file"] for model in BANK], _decide, slow=True),
    "refusals": Kind(lambda: (HERE / "refused.txt").read_text("utf-8").splitlines(), _refusal),
}


def laid_out(data: Any, indent: int = 0) -> str:
    """JSON in which what fits on a line is on one, and lists of numbers are."""
    line = json.dumps(data, ensure_ascii=False)
    short = len(line) + indent <= WIDTH or not re.search(r'["{]', line)
    if not isinstance(data, dict | list) or not data or short:
        return line
    pad = " " * (indent + 1)
    if isinstance(data, dict):
        inside = [
            f"{pad}{json.dumps(k, ensure_ascii=False)}: {laid_out(v, indent + 1)}"
            for k, v in data.items()
        ]
        return "{\n" + ",\n".join(inside) + f"\n{' ' * indent}}}"
    inside = [pad + laid_out(v, indent + 1) for v in data]
    return "[\n" + ",\n".join(inside) + f"\n{' ' * indent}]"


def differences(kind: str, items: list[str]) -> Iterator[str]:
    """What is printed now, and is not as it was kept."""
    known = kept(kind)
    for item in items:
        now = json.loads(json.dumps(KINDS[kind].made(item)))
        if now != known.get(item):
            yield f"{kind}, {item}:\n{laid_out(known.get(item))}\nis now\n{laid_out(now)}"


def main(kinds: list[str]) -> None:
    """Write the goldens of these kinds, or of all."""
    for kind in kinds or list(KINDS):
        made = {item: KINDS[kind].made(item) for item in KINDS[kind].items()}
        (HERE / f"{kind}.json").write_text(laid_out(made) + "\n")
        print(f"{kind}: {len(made)} items", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
