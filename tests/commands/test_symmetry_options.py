"""`orderproof symmetry`: what it prints, its JSON, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from orderproof import cli
from orderproof.commands import symmetry as symmetry_command
from orderproof.commands.reasons_text import TENSORS
from orderproof.numeric.groups.automorphisms import EngineError
from orderproof.numeric.groups.bias_matrices import SCHEMES
from orderproof.proofs import catalogue
from orderproof.symbolic.calculus import kernel
from orderproof.symbolic.calculus.terms import Set, reachable
from orderproof.symbolic.derive.push import refl
from orderproof.symbolic.models.builders import tensor
from orderproof.symbolic.schemes import models as position_models
from orderproof.symbolic.schemes.models import FEATURES, Derived

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run `orderproof symmetry` in this process, in an empty folder: status, output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(text: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["orderproof", "symmetry", *text.split()])
        with pytest.raises(SystemExit) as end:
            cli.main()
            raise SystemExit(0)  # what a command that returns comes to
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out, printed.err

    return command


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
        "Tokens 3-6 are interchangeable.",
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


@pytest.mark.parametrize(
    ("scheme", "carried"),
    [
        ("causal", ""),
        ("alibi", ""),
        ("rope-causal", "rotations, which count each pair by its offset"),
        ("shaw", "relative keys, which count each pair by its key"),
        ("learned", "added rows, a token and its row being one type"),
    ],
)
def test_deeper_contexts_cite_their_theorem(run: Run, scheme: str, carried: str) -> None:
    """Otherwise every depth would rest on words, or the theorem would be cited for more than it
    says."""
    for n in (5, 65):
        flat = " ".join(run(f"--scheme {scheme} --n {n}")[1].split())
        assert "induction" not in flat and "(attention_is_colour_refinement)" in flat
        assert flat.count("On paper: ") == bool(carried)
        assert f"On paper: it is carried over to {carried}" in flat or not carried


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_prints_in_80_columns(run: Run, scheme: str) -> None:
    """Otherwise a scheme of the list cannot be asked for, or runs off the screen."""
    status, out, _ = run(f"--scheme {scheme} --n {41 if scheme == 'documents' else 40}")
    assert status == 0 and max(map(len, out.splitlines())) <= 80
    assert f"\n{scheme}" in "\n" + run("--scheme help")[1]


def test_json_is_what_the_design_says(run: Run) -> None:
    """Otherwise a program finds other keys, or permutations in another form."""
    status, out, _ = run("--scheme alibi --n 4 --json")
    data = json.loads(out)
    assert status == 0
    assert (data["n"], data["order"], data["name"]) == (4, 2, "Z_2 (reversal)")
    assert data["generators"] == [[3, 2, 1, 0]] and data["orbits"] == [[0, 3], [1, 2]]
    assert set(data["context"]) == {"depth 1", "depth 2", "limit"}
    assert data["context"]["limit"]["depth"] == 1 and data["proved"] is True
    big = json.loads(run("--scheme none --n 200 --json")[1])
    assert big["name"] == "S_200" and len(str(big["order"])) == 375


def test_two_runs_print_the_same(run: Run) -> None:
    """Otherwise output depends on the run."""
    assert run("--scheme circulant-even --n 30 --json") == run(
        "--scheme circulant-even --n 30 --json"
    )


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
    assert (status, err) == (int("--sigma" in asked), "")
    files = sorted(Path("o").iterdir())
    assert files and out.count("recheck with: orderproof replay o/") == len(files)

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


SHRIKHANDE, ROOK = (
    [
        [int(((c - a) % 4, (d - b) % 4) in steps) for c in range(4) for d in range(4)]
        for a in range(4)
        for b in range(4)
    ]
    for steps in (
        {(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)},
        {(0, k) for k in (1, 2, 3)} | {(k, 0) for k in (1, 2, 3)},
    )
)


def test_blocks_of_strongly_regular_graphs_take_no_time(run: Run) -> None:
    """Otherwise the search runs away: 8 Shrikhande and 8 rook graphs are of equal parameters."""
    blocks = np.zeros((16, 16, 16, 16))
    for k in range(16):
        blocks[k, :, k] = [SHRIKHANDE, ROOK][k % 2]
    matrix(blocks.reshape(256, 256))
    status, out, _ = run("--bias b.npy")
    flat = " ".join(out.split())
    assert status == 0 and "order 9.312e51." in flat
    assert "what colour refinement allows beyond was searched to the end" in flat


def test_a_search_that_is_stopped_is_open(run: Run) -> None:
    """Otherwise a lower bound passes for the group, or the status is that of success."""
    matrix(SHRIKHANDE)
    status, out, _ = run("--bias b.npy --timeout 1e-9")
    flat = " ".join(out.split())
    assert status == 3 and "Group of the layer: order at least 1." in flat
    assert "Orbits of what was found: token 1;" in flat
    assert "there may be more than were found, because the search was stopped" in flat
    assert "Open: the search stopped after 1e-09 s; --timeout gives it longer." in flat
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
    monkeypatch.setattr(symmetry_command, "Console", lambda stderr: console if stderr else None)
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "give one of --scheme with --n, --bias and --mask, or --table"),
        ("--scheme alibi", "--scheme needs --n"),
        ("--scheme alib --n 3", "unknown scheme 'alib', nearest: alibi"),
        ("--scheme documents --n 2", "n = 2 does not part into blocks of 2: give --blocks"),
        ("--scheme documents --n 1", "given n = 1, expected 2 <= n"),
        ("--scheme blocks --n 4 --blocks 2,x", "--blocks: given '2,x'"),
        ("--scheme alibi --n 4 --bias b.npy", "give one of"),
        ("--bias b.npy --window 2", "--window: only with --scheme"),
        ("--bias b.npy --n 2", "--n: only with --scheme"),
        ("--bias none.npy", "No such file"),
        ("--bias b.npy", "row 2 is all −∞ (nothing to attend to)"),
        ("--scheme alibi --n 4 --tol -1", "--tol: given '-1'"),
        ("--scheme alibi --n 4 --tol nan", "--tol: given 'nan'"),
        ("--scheme learned --n 4 --tol 1", "and a bias"),
        ("--scheme rope --n 4 --tol 1", "and a bias"),
        ("--scheme alibi --n 4 --tol 1e99999", "--tol: given '1e99999'"),
        ("--scheme alibi --n 0", "given n = 0, expected 1 <= n"),
        ("--scheme alibi --n x", "--n"),
        ("--scheme zzzzz --n 3", "unknown scheme 'zzzzz', nearest: alibi, alibi-causal"),
        ("--mask rect.json", "rect.json: given 1 × 2, expected a square matrix"),
        ("--mask nan.csv", "nan.csv: row 1, column 1: given 'nan', expected 0 or 1"),
        ("--bias inf.csv", "inf.csv: row 1, column 2: given 'inf', expected a finite number"),
        ("--mask none.json", "row 2 is all −∞"),
        ("--mask folder.csv", "Is a directory"),
        ("--bias long.csv --out o", "numbers too long for a file that replay reads"),
        ("--table rect.json --window 1", "--window: only with --scheme"),
        (
            "--scheme alibi --n 4 --sigma 0,1",
            "--sigma: given '0,1', expected a permutation of 1, …, 4",
        ),
        ("--bias pipe.npy", "pipe.npy: given a pipe or a device, expected a regular file"),
        ("--bias large.csv", "large.csv: given 3,072 MiB, expected at most 512 MiB"),
        ("--bias field.csv", "field.csv: not a matrix: field larger than field limit (131072)"),
        ("--bias flags.npy", "booleans are for --mask, where true lets through"),
        ("--scheme relative-2d --n 2000", "given n = 2000, expected 1 <= n <= 1024"),
        ("--scheme blocks --n 2000 --blocks 3,x", "--blocks: given '3,x'"),
        ("--scheme alibi --n 4 --timeout 0", "--timeout"),
        ("--scheme alibi --n 4 --timeout nan", "--timeout"),
        ("--mask two.json --bias three.json", "given 2 heads of bias and 3 of mask"),
        ("--bias sizes.json", "head 2 has 1 tokens, head 1 has 2"),
    ],
)
def test_what_a_person_got_wrong_is_one_line(run: Run, text: str, message: str) -> None:
    """Otherwise a mistake ends in a traceback, or in an answer to another question."""
    matrix([[0, 0], [-np.inf, -np.inf]])
    Path("two.json").write_text(json.dumps([[[1]]] * 3))
    Path("three.json").write_text(json.dumps([[[0]]] * 2))
    Path("rect.json").write_text("[[1, 0]]")
    Path("nan.csv").write_text("nan,1\n1,1\n")
    Path("inf.csv").write_text("0,inf\n1,1\n")
    Path("none.json").write_text("[[1, 0], [0, 0]]")
    Path("long.csv").write_text("1e900,1e-900\n0,1\n")
    Path("folder.csv").mkdir()
    os.mkfifo("pipe.npy")
    with Path("large.csv").open("wb") as large:
        large.truncate(3 * 2**30)  # sparse: it takes no room
    Path("field.csv").write_text("1" * 140_000)
    np.save("flags.npy", np.eye(3, dtype=bool))
    Path("sizes.json").write_text("[[[0, 1], [1, 0]], [[0]]]")
    status, out, err = run(text)
    assert (status, out) == (2, "") and message in err and err.count("\n") == 1


@pytest.mark.parametrize("letter", TENSORS)
def test_the_reasons_cite_theorems_about_the_tensor(letter: str) -> None:
    """That no more σ keep a table of several features would rest on a theorem about one feature, or
    on a theorem about another tensor."""
    (cited,) = re.findall(r"\((\w+)\)$", TENSORS[letter][1])
    terms = [t for c in catalogue.load(cited).claims for t in (c.lhs, c.rhs)]
    leaves = {node.op for t in terms for node in reachable(t.node) if node.op.kind == "leaf"}
    assert letter in {op.data[0] for op in leaves}
    assert any(FEATURES in c.statement.sets for c in catalogue.load(cited).claims)
