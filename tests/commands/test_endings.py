"""Where a command ends with a status that is not 0, its last line says why."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from orderproof import command_line as cli
from orderproof.audit import judge
from orderproof.check.claims import StuckError
from orderproof.check.prove import checking, run, standing
from orderproof.check.rocq import record
from orderproof.check.schemes import table as schemes
from orderproof.commands import confirm
from orderproof.proofs import catalogue
from orderproof.publish import book, pdf, sentences, site
from orderproof.symbolic.ending import Ending, end
from orderproof.symbolic.smt.recheck import STATUS, Report, Row
from orderproof.symbolic.smt.solvers import Solver
from tests.commands.running import ROOT, Run
from tests.judged import answering

Patch = pytest.MonkeyPatch
DECLARED = "each claim as declared and each false variant rejected, found"
OF = "perm_transpose_mul"
RECORDED = "output_differs_of_columns"


def kernel_says(ok: bool | None) -> Callable[[Patch], None]:
    """Let the kernel's mark of every claim come out as this."""

    def plant(patch: Patch) -> None:
        theorem = catalogue.load(OF)
        claims = tuple(
            replace(c, marks={**c.marks, "kernel": answering(ok)}) for c in theorem.claims
        )
        patch.setattr(catalogue, "load", lambda name: replace(theorem, claims=claims))

    return plant


def variant_says(ok: bool | None) -> Callable[[Patch], None]:
    """Let a mark of the false variant come out as this."""

    def plant(patch: Patch) -> None:
        theorem = catalogue.load(OF)
        claim = replace(theorem.neighbour.claim, marks={"smt": answering(ok)})
        planted = replace(theorem, planted=replace(theorem.neighbour, claim=claim))
        patch.setattr(catalogue, "load", lambda name: planted)

    return plant


def survives(patch: Patch) -> None:
    """A falsehood that a mark accepts."""
    planted = judge.Outcome(OF, "transposed", "in claim 1", (("sympy", "anew", "SETTLED"),))
    patch.setattr(judge, "audit", lambda *given: [planted])


def told_apart(patch: Patch) -> None:
    """A falsehood that is rejected where every permutation is its own inverse."""
    answers = (("sympy", "anew", "rejected"),)
    planted = judge.Outcome(OF, "transposed", "in claim 1", answers, swaps=False)
    patch.setattr(judge, "audit", lambda *given: [planted])


def blind(patch: Patch) -> None:
    """An encoder that does not see order with its position table either."""
    sides = (SimpleNamespace(verdict="order blind"),) * 2
    found = SimpleNamespace(confirmed=False, with_positions=sides[0], without_positions=sides[1],
                            to_json=lambda: {})  # fmt: skip
    patch.setattr(confirm, "confirmation", lambda model: found)


def open_cell(patch: Patch) -> None:
    """A table with a cell that stayed open."""
    cells = schemes.table(("none",))
    patch.setattr(
        schemes, "table", lambda *given, **more: [replace(cells[0], verdict="open"), *cells[1:]]
    )


def quoted(ok: bool | None) -> Callable[[Patch], None]:
    """Let the kernel's mark of every claim behind a sentence, and in the book, come out as this."""

    def plant(patch: Patch) -> None:
        kernel_says(ok)(patch)
        page = checking.check(catalogue.load(OF))
        patch.setattr(run, "prove", lambda *given, **more: ([page], {}))
        patch.setattr(sentences, "checked", list)
        patch.setattr(sentences, "of_pages", lambda pages: [])
        patch.setattr(schemes, "table", lambda *given, **more: [])
        patch.setattr(site, "ready", lambda out: None)
        patch.setattr(site, "write_site", lambda *given, **more: "")
        patch.setattr(book, "write_sources", lambda *given, **more: None)
        patch.setattr(pdf, "build_pdf", lambda *given, **more: None)

    return plant


def unproved(patch: Patch) -> None:
    """A bias, in the current folder, whose group is not found at once."""
    i = np.arange(16)
    rows, columns = (np.subtract.outer(k, k) % 4 for k in np.divmod(i, 4))
    np.save("b.npy", np.where((rows == columns) | (rows == 0) | (columns == 0), 1, 0))


def changed(patch: Patch) -> None:
    """A list that pins another statement, in the current folder."""
    Path("list").write_text(f"{OF} {'0' * 64}\n", "utf-8")


def one_solver(patch: Patch) -> None:
    """Certificates, in the current folder, and one solver to recheck them."""
    from orderproof.check.prove.certificates import certificates
    from orderproof.symbolic.smt import recheck

    Path("smt").mkdir()
    for name, text in certificates(catalogue.load("offset_invariant_of_alibi")).items():
        Path("smt", name).write_text(text, "utf-8")
    solvers = recheck.find()[:1]
    patch.setattr(recheck, "find", lambda: solvers)


def tampered(patch: Patch) -> None:
    """A counterexample that does not hold, in the current folder."""
    from orderproof.symbolic.schemes.table_search import search
    from orderproof.symbolic.witness.scheme_file import dumps

    witness = search("learned", 2, 1).witness
    assert witness is not None
    text = dumps(witness)
    assert '"lhs": [["32/17"]' in text
    Path("w.json").write_text(text.replace('"lhs": [["32/17"]', '"lhs": [["33/17"]'), "utf-8")


def stuck(patch: Patch) -> None:
    """A theorem file whose derivation does not go through."""

    def load(name: str) -> Any:
        raise StuckError("softmax:\nno rule")

    patch.setattr(catalogue, "load", load)


def unrecorded(patch: Patch) -> None:
    """The record of Rocq cannot be read."""
    none = record.Record("", "", trouble="record.json: given no such file")
    patch.setattr(record, "load", lambda: none)
    patch.setattr(standing, "of_name", standing.of_name.__wrapped__)  # it keeps those


def nothing(patch: Patch) -> None:
    """Nothing is planted."""


ENDINGS: list[tuple[str, Callable[[Patch], None], int, str]] = [
    (f"prove {OF} --no-cache", kernel_says(False), 1,
     f"{DECLARED} a claim of {OF} whose mark kernel failed, and 2 more"),
    (f"prove {OF} --no-cache", kernel_says(None), 3,
     f"{DECLARED} a claim of {OF} open, and 2 more"),
    (f"prove {OF} --no-cache", variant_says(True), 1,
     f"{DECLARED} the false variant of {OF} accepted by smt"),
    (f"prove {OF} --no-cache", variant_says(None), 3,
     f"{DECLARED} the false variant of {OF} not rejected (smt undecided)"),
    ("prove --digests list", changed, 1, "theorems that state what list pins, found 1 of 1 that do "
     "not"),
    ("digests --check list", changed, 1, "theorems that state what list pins, found 1 of 1 that do "
     "not"),
    (f"show {OF} --check", kernel_says(False), 1,
     f"{DECLARED} a claim of {OF} whose mark kernel failed, and 2 more"),
    (f"show {OF} --check", kernel_says(None), 3, f"{DECLARED} a claim of {OF} open, and 2 more"),
    ("sentences --check --json", quoted(False), 1,
     f"{DECLARED} a claim of {OF} whose mark kernel failed, and 2 more"),
    ("sentences --check --json", quoted(None), 3,
     f"{DECLARED} a claim of {OF} open, and 2 more"),
    ("book --no-cache", quoted(False), 1,
     f"{DECLARED} a claim of {OF} whose mark kernel failed, and 2 more"),
    ("book --no-cache", quoted(None), 3, f"{DECLARED} a claim of {OF} open, and 2 more"),
    (f"audit {OF} --json", survives, 1, "no falsehood to survive, found 1"),
    (f"audit {OF} --json", told_apart, 1,
     "no planted transpose to fail under swaps, which are their own inverses, found 1"),
    ("confirm --json", blind, 1, "an encoder that sees order with its position table, order blind "
     "without it, found order blind with it, order blind without it"),
    ("table --scheme none --no-cache", open_cell, 3,
     "every cell proved or refuted, found none, permutation open"),
    ("search --scheme alibi --n 6 --d 4 --timeout 1e-9", nothing, 3,
     "a counterexample or a proof, found unknown"),
    ("symmetry --scheme alibi --n 3 --sigma 2,1,3", nothing, 1,
     "that (1 2) is a symmetry, found that it is none"),
    ("symmetry --scheme alibi --n 3 --sigma 2,1,3 --json", nothing, 1,
     "that (1 2) is a symmetry, found that it is none"),
    ("symmetry --bias b.npy --timeout 1e-9 --json", unproved, 3,
     "the whole group, found a part of it when the search stopped after 1e-09 s (--timeout)"),
    ("symmetry --scheme learned --n 3", unrecorded, 3,
     "theorems that are proved, found output_differs_of_rows open, and 1 more"),
    ("distinguish --scheme causal a b", unrecorded, 3,
     "theorems that are proved, found attention_is_colour_refinement open"),
    (f"prove {RECORDED} --no-cache", unrecorded, 3, f"{DECLARED} a claim of {RECORDED} open"),
    (f"prove {RECORDED} --no-cache --require-checked", nothing, 3,
     f"no claim by the record of Rocq alone, found a claim of {RECORDED} recorded from Rocq"),
    ("replay w.json", tampered, 1, "a counterexample that holds, found w.json refuted"),
    ("recheck smt --independent --json", one_solver, 3, "two solvers, found z3 alone"),
    ("list --json", stuck, 1, "a derivation that goes through, found softmax: no rule"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "plant", "status", "why"), ENDINGS)
def test_the_last_line_says_why(
    run: Run, monkeypatch: Patch, line: str, plant: Callable[[Patch], None], status: int, why: str
) -> None:
    """A job of CI would be red, and no line say what was expected and what was found."""
    plant(monkeypatch)
    done = run(*line.split())
    assert (done.status, done.err.splitlines()[-1]) == (status, f"orderproof: expected {why}")
    if "--json" in line and done.out:
        json.loads(done.out)  # the reason is not in it


def test_each_status_of_a_command_is_in_the_table() -> None:
    """Help would name a status that no line explains, or a command end with one that it hides."""
    from tests.commands.test_decide import STATUSES  # needs the extra onnx

    statuses = {(name, k) for name, c in cli.cli.commands.items() for k in c.statuses}
    named = {(line.split()[0], status) for line, _, status, _ in ENDINGS if "list" not in line[:5]}
    named |= {("decide", row[3]) for row in STATUSES} | {("recheck", k) for k in STATUS.values()}
    assert {(name, k) for name, k in (statuses ^ named) if k in (1, 3)} == set()


@pytest.mark.parametrize("verdict", STATUS)
def test_each_verdict_of_recheck_is_a_reason(verdict: str) -> None:
    """A certificate would be refuted, or left open, without a word."""
    rows = (Row("a", "checked"), Row("b", verdict))
    ending = Report((Solver("z3", ""),) * 2, rows, True, False, 0.0).ending
    assert ending.status == STATUS[verdict]
    if ending.status:
        said = f"expected every certificate checked by every solver, found 1 of 2 {verdict}"
        assert str(ending) == said


def test_an_ending_without_a_reason_is_none() -> None:
    """A command could fail without saying why; or a name break the line."""
    for expected, found in (("", ""), ("a", ""), ("", "b")):
        with pytest.raises(ValueError, match="without a reason"):
            Ending(1, expected, found)
    assert str(Ending(1, "a", "b\n\x1b[1m c")) == r"expected a, found b \x1b[1m c"
    assert Ending().otherwise(Ending(3, "a", "b")).status == 3


def test_it_is_the_last_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The line would stand before what it is about, or in the JSON; or be printed of a success."""
    with pytest.raises(SystemExit) as ended:
        end(Ending(3, "a", "b"))
    assert ended.value.code == 3 and capsys.readouterr() == (
        "",
        "orderproof: expected a, found b\n",
    )
    with pytest.raises(SystemExit) as ended:
        end(Ending())
    assert ended.value.code == 0 and capsys.readouterr() == ("", "")


def exits(text: str) -> list[str]:
    """What in a source ends the process by another way than `end`, with a status that may not be
    0: any name of such a function but in a call without a status."""
    names = {"exit", "_exit", "quit", "abort", "Exit", "SystemExit"}
    tree = ast.parse(text)
    plain = {
        node.func for node in ast.walk(tree)
        if isinstance(node, ast.Call) and not (node.args or node.keywords)
    }  # fmt: skip
    found = []
    for node in ast.walk(tree):
        said = {getattr(node, key, None) for key in ("id", "attr")} & names
        if isinstance(node, ast.ImportFrom):
            said = {alias.name for alias in node.names} & names
        found += [] if node in plain and said == {"exit"} else sorted(map(str, said))
    return found


def test_commands_end_by_one_function() -> None:
    """A command could end with a status that is not 0 and say nothing."""
    folder = ROOT / "orderproof" / "commands"
    for path in folder.glob("*.py"):
        assert exits(path.read_text("utf-8")) == [], path
    planted = (
        "sys.exit(1)",
        "ctx.exit(code=3)",
        "raise SystemExit(1)",
        "f = sys.exit",
        "from sys import exit as f",
        "raise click.exceptions.Exit(1)",
        "ctx.abort()",
    )
    assert all(len(exits(text)) == 1 for text in planted)
    assert exits("end(ending)\nctx.exit()") == []


def test_the_check_of_every_run_can_fail(run: Run, monkeypatch: Patch) -> None:
    """The fixture that runs commands would accept one that fails without a reason."""

    def silent(*_: object) -> None:
        raise SystemExit(1)

    monkeypatch.setattr(catalogue, "load", silent)
    with pytest.raises(pytest.fail.Exception, match="expected a last line that says why"):
        run("list", "--json")
