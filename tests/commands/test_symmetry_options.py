"""`orderproof symmetry`: what it prints, its JSON, and what it refuses."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from orderproof import command_line as cli
from orderproof.numeric.groups.automorphisms import EngineError
from orderproof.numeric.groups.symmetry import THEOREMS
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Set, reachable
from orderproof.symbolic.derive.push import refl
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.schemes import models as position_models
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.models import FEATURES, Derived
from tests.commands.running import Done

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(run: Callable[..., Done]) -> Run:
    """Run `orderproof symmetry` in this process, in an empty folder: status, output, errors."""
    return lambda text: astuple(run("symmetry", *text.split()))


def matrix(entries: object) -> None:
    """A bias file in the current folder."""
    np.save("b.npy", np.asarray(entries, dtype=float))


def test_a_group_is_said_in_words(run: Run) -> None:
    """Otherwise a person does not learn the group, who is interchangeable, or why."""
    status, out, err = run("--scheme window --n 8 --window 5")
    assert (status, err) == (0, "")
    flat = " ".join(out.split())
    for said in (
        "Group of the layer: order 48, S_4 × Z_2.",
        "Tokens are counted from 1.",
        "Interchangeable: tokens 3-6",
        "depth 1: order 240, S_2 × S_5; interchangeable: tokens 1, 2; tokens 3-7",
        "depth 2 and on: order 24, S_4",
        "score_bias_iff",
        "if G[σ(i), σ(j)] = G[i, j], derived by the kernel in this run",
        "3 generators checked against this, entry by entry",
        "Outside: (1 2): with W_Q = 0",
        "Outside: (1 8): with W_Q = 0",
    ):
        assert said in flat, said
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("scheme", POSITION_SCHEMES)
def test_every_scheme_prints_in_80_columns(run: Run, scheme: str) -> None:
    """Otherwise a scheme of the list cannot be asked for, or runs off the screen."""
    status, out, _ = run(f"--scheme {scheme} --n {41 if scheme == 'documents' else 40}")
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    assert f"\n{scheme}" in "\n" + run("--scheme help")[1]


def test_a_program_reads_the_generators(run: Run) -> None:
    """Otherwise a program finds none, or permutations counted from 1."""
    assert json.loads(run("--scheme alibi --n 4 --json")[1])["generators"] == [[3, 2, 1, 0]]


def test_one_permutation_can_be_asked_for(run: Run) -> None:
    """Otherwise a σ has no answer, its witness is not told, or the status is that of success."""
    for given in ("4,3,2,1", "3,2,1,0"):  # as people count, and as JSON does
        done = run(f"--scheme alibi --n 4 --sigma {given}")
        assert done[:2] == (0, "(1 4)(2 3) is a symmetry.\n")
    status, out, _ = run("--scheme causal --n 3 --sigma 2,1,3")
    flat = " ".join(out.split())
    assert status == 1 and "row 1 is 0 on PX and 0.5 for P f(X)" in flat
    assert "own output, with skips: the same up to depth 1, and not beyond." in flat
    assert "the same at every depth" in run("--scheme none --n 3 --sigma 1,0,2")[1]
    assert "not the same at any depth" in run("--scheme alibi --n 3 --sigma 1,0,2")[1]
    status, out, _ = run("--scheme learned --n 3 --sigma 1,0,2 --json")
    assert status == 1 and json.loads(out)["symmetry"] is False


@pytest.mark.parametrize(
    "asked",
    ["--scheme alibi --n 6", "--scheme rope --n 5", "--scheme sinusoidal --n 5",
     "--scheme documents --n 7 --blocks 3,3", "--bias b.npy", "--table e.csv",
     "--bias b.npy --tol 0.5", "--scheme causal --n 3 --sigma 2,1,0"],
)  # fmt: skip
def test_out_writes_witnesses_that_replay_confirms(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: str
) -> None:
    """Otherwise a permutation is called no symmetry with nothing to recheck; or its
    file is one that `replay` refuses, or confirms when it is changed."""
    matrix([[0, -1, -2], [-1, 0, -1.25], [-2, -np.inf, 0]])
    Path("e.csv").write_text("0.1,1\n1/10,1\n2,1\n")
    status, out, err = run(f"{asked} --out o")
    assert status == int("--sigma" in asked) and bool(err) == bool(status)
    files = sorted(Path("o").iterdir())
    assert files and out.count("recheck with:\n    orderproof replay o/") == len(files)

    def replayed(file: Path) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["orderproof", "replay", str(file)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out + printed.err

    for file in files:
        code, said = replayed(file)
        assert code == 0 and said.startswith("confirmed: "), said
        text = file.read_text(encoding="utf-8")
        data = json.loads(text)
        changed = text.replace('"version": 1', '"version": 2')
        if "sigma" in data:  # a claim about the identity
            identity = list(range(data["n"]))
            changed = text.replace(str(data["sigma"]), str(identity))
        file.write_text(changed, encoding="utf-8")
        assert changed != text and replayed(file)[0] != 0


def test_the_kernel_is_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the output cites a derivation that was not made in the run."""
    monkeypatch.setattr(position_models, "equivariant", lambda letters: None)
    with pytest.raises(EngineError, match="did not derive"):
        run("--scheme alibi --n 3")


OTHERS = ("x = x", "the claim itself, assumed", "the converse", "no letters", "a copy", "two")


def other(called: str, letters: str, kind: str) -> Derived:
    """What does not prove the claim: theorems that say something else, or assume it, or are none
    of the kernel's."""
    x = tensor("X", i=Set("n"), k=Set("d"))
    depth = (1,) if called == "last_row" else ()
    derive = getattr(position_models, called)
    th = derive(letters, *depth).theorem
    return Derived({
        "x = x": (refl(x),),
        "the claim itself, assumed": (kernel.hyp(th.lhs, th.rhs),),
        "the converse": (kernel.sym(th),),
        "no letters": (derive("", *depth).theorem,),
        "a copy": (replace(th),),
        "two": (th, th),
    }[kind], "f(PX) = P f(X)")  # fmt: skip


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("called", ["equivariant", "last_row"])
def test_the_kernel_must_have_proved_what_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, called: str, kind: str
) -> None:
    """Otherwise any theorem passes for the one that is cited."""
    asked = "--scheme alibi --n 3"
    derived = other(called, "G", kind)
    assert run(asked)[0] == 0
    monkeypatch.setattr(position_models, called, lambda *_: derived)
    with pytest.raises(EngineError, match="did not derive"):
        run(asked)


def test_tolerance_is_said(run: Run) -> None:
    """Otherwise a group of merged entries passes for an exact one."""
    matrix([[0, -1, -2], [-1, 0, -1.0001], [-2, -1, 0]])
    assert "order 1, trivial" in run("--bias b.npy")[1]
    _, out, _ = run("--bias b.npy --tol 0.001")
    assert "order 2, Z_2 (reversal)" in out
    assert "so merged, not exact: -1.0001 to -1" in " ".join(out.split())
    data = json.loads(run("--bias b.npy --tol 0.001 --json")[1])
    assert data["tolerance"]["given"] == "0.001" and len(data["tolerance"]["merged"][0]) == 1


@pytest.mark.parametrize("asked", ["", " --json", " --sigma 1,0,2,3,4,5"])
def test_a_bias_that_may_mean_a_mask_has_a_warning(run: Run, asked: str) -> None:
    """Otherwise a person with a mask that is filled with −1e9 takes the group of those numbers for
    that of the mask; or a program cannot read the JSON for the warning."""
    i, j = np.indices((6, 6))
    said = "orderproof: b.npy: entries below -1e4 are read as numbers, not as −∞; pass --mask\n"
    np.save("m.npy", i // 3 == j // 3)
    matrix(np.where(i // 3 == j // 3, 0, -1e9))
    _, out, err = run(f"--bias b.npy{asked}")
    assert err == said and "pass --mask" not in out
    assert run(f"--bias b.npy --mask m.npy{asked}")[2] == ""
    matrix(np.where(i // 3 == j // 3, 0, -1e4))
    assert run(f"--bias b.npy{asked}")[2] == ""


STEPS = {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)}
SHRIKHANDE = [
    [int(((c - a) % 4, (d - b) % 4) in STEPS) for c in range(4) for d in range(4)]
    for a in range(4)
    for b in range(4)
]


def test_a_search_that_is_stopped_is_open(run: Run) -> None:
    """Otherwise a lower bound passes for the group, or the status is that of success."""
    matrix(SHRIKHANDE)
    status, out, err = run("--bias b.npy --timeout 1e-9")
    flat = " ".join(out.split())
    assert status == 3 and "Group of the layer: order at least 1." in flat
    assert "Orbits of what was found: token 1;" in flat and "token 8; … 8 more" in flat
    assert "there may be more than were found, because the search was stopped" in flat
    assert "a part of it when the search stopped after 1e-09 s (--timeout)" in err
    status, out, _ = run("--bias b.npy --timeout 1e-9 --json")
    data = json.loads(out)
    assert (status, data["order"], data["proved"], data["name"]) == (3, 1, False, None)
    assert data["open"] is True and json.loads(run("--bias b.npy --json")[1])["open"] is False
    status, out, _ = run("--bias b.npy")
    assert status == 0 and "order 192." in out and "at least" not in out
    assert "Orbits: tokens 1-16" in out


def test_progress_is_shown_on_a_terminal_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a long search is silent, or its progress is mixed into a program's input."""
    assert run("--scheme causal --n 5")[2] == ""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=80)
    monkeypatch.setattr("rich.console.Console", lambda stderr: console if stderr else None)
    _, out, _ = run("--scheme causal --n 5 --json")
    json.loads(out)
    assert "the context group at depth" in screen.getvalue()


def test_masks_tables_and_both_together(run: Run) -> None:
    """Otherwise a mask, a table, or a bias with a mask is read as something else."""
    matrix(np.zeros((3, 3)))
    Path("m.json").write_text("[[1, 0, 0], [1, 1, 0], [1, 1, 1]]")
    Path("e.csv").write_text("0.1\n1/10\n2\n")
    assert "order 6, S_3" in run("--bias b.npy")[1]
    assert "order 1, trivial" in run("--mask m.json")[1]
    assert "order 1, trivial" in run("--bias b.npy --mask m.json")[1]
    assert "order 2, S_2" in run("--table e.csv")[1]


@pytest.mark.parametrize("letter", THEOREMS)
def test_the_reasons_cite_theorems_about_the_tensor(letter: str) -> None:
    """That no more σ keep a table of several features would rest on a theorem about one feature, or
    on a theorem about another tensor."""
    cited = THEOREMS[letter]
    terms = [t for c in catalogue.load(cited).claims for t in (c.lhs, c.rhs)]
    leaves = {node.op for t in terms for node in reachable(t.node) if node.op.kind == "leaf"}
    assert letter in {op.data[0] for op in leaves}
    assert any(FEATURES in c.statement.sets for c in catalogue.load(cited).claims)
