"""What commands print counts from 1, and their JSON and files from 0."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.schemes.answers import PositionAnswer
from orderproof.check.schemes.answers import text as answer_text
from orderproof.command_line import cli
from orderproof.replay_file import replay_file
from orderproof.symbolic.counting import (
    JSON,
    PEOPLE,
    cycle_text,
    cycles,
    for_people,
    indices,
    token_text,
)
from orderproof.symbolic.witness.fields import WitnessError

FROM_0 = re.compile(
    r"\b(?:tokens?|rows?|columns?|places?|layers?|features?|heads?|documents?) 0\b"
    r"|\(0 |\bdiffer in \S+ 0\b|added at 0\b|\w\[0\]|sigma\(0\)|counted from 0"
    r"|(?:σ|sigma) = \[[^]]*\b0\b"
)


def run(command: str, status: int = 0) -> str:
    """What a command prints, its lines joined."""
    done = CliRunner().invoke(cli, command.split())
    assert done.exit_code == status, done.output
    return " ".join(done.stdout.split())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a bias."""
    monkeypatch.chdir(tmp_path)
    Path("heads.json").write_text(json.dumps([[[0, 1], [1, 0]], [[0, 1], [2, 0]]]))


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("symmetry --scheme alibi --n 8", 0, "Generators: (1 8)(2 7)(3 6)(4 5)"),
        ("symmetry --scheme none --n 4", 0, "Interchangeable: tokens 1-4"),
        ("symmetry --scheme rope --n 3 --sigma 2,1,3", 1, "token 1 is at offset 1 from row 1"),
        ("symmetry --scheme learned --n 3 --sigma 2,1,3", 1, "rows added at 1 and 2 differ"),
        ("symmetry --bias heads.json --sigma 2,1", 1, "row 1 of head 2 is"),
        ("symmetry --bias heads.json --tol 0", 0, "of head 2"),
        ("search --scheme learned --n 2 --d 1", 0, "differ in row 1, column 1 σ = [2, 1], tokens"),
        ("search --scheme none --n 3 --d 1 --symmetry permutation --sigma 2,3,1", 0, "symmetric"),
        ("search --scheme alibi --symmetry shift --n 4 --d 1", 0,
         "σ = [2, 3, 4, 1], tokens counted from 1; (PX)[i] = X[σ(i)]"),
        ("search --scheme alibi --symmetry shift --n 4 --d 1", 0, "row 2 of f(X) = (1/2·0"),
        ("search --scheme learned --symmetry permutation --n 2 --d 1", 0, "entries: 1 ↦ 0, 2 ↦ 1"),
        ("search --scheme circulant --symmetry permutation --n 3 --d 1", 0, "entries: 0 ↦ 0, 1 ↦"),
        ("table --scheme learned", 0, "n = 3: σ = [2, 1, 3], replayed"),
    ],
)  # fmt: skip
def test_text_counts_from_1(command: str, status: int, said: str) -> None:
    """A person would read of a token 0, or take one number for another's."""
    out = run(command, status)
    assert said in out and not FROM_0.search(out), FROM_0.search(out)


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("search --scheme learned --n 2 --d 1 --out o", 0),
        ("search --scheme alibi --symmetry shift --n 4 --d 1 --out o", 0),
        ("symmetry --scheme rope --n 3 --sigma 2,1,3 --out o", 1),
        ("symmetry --scheme learned --n 3 --sigma 2,1,3 --out o", 1),
        ("symmetry --scheme causal --n 3 --sigma 2,1,3 --out o", 1),
    ],
)
def test_replay_counts_from_1_and_its_file_from_0(command: str, status: int) -> None:
    """A replayed claim would name another row than the text before it, or a file that was written
    before would be refused."""
    run(command, status)
    files = list(Path("o").rglob("*.json"))
    assert files
    for file in files:
        out, data = run(f"replay {file}"), json.loads(file.read_text())
        assert out.startswith("confirmed: ") and "counted from 1" in out
        assert not FROM_0.search(out), out
        assert "counted from 0" in data["claim"] == replay_file(file).witness.says(JSON)
        said = json.loads(run(f"replay {file} --json"))["reason"]
        assert said == replay_file(file).says(JSON)
        data["claim"] = replay_file(file).witness.says(PEOPLE)
        file.write_text(json.dumps(data))
        with pytest.raises(WitnessError, match="claim: given"):
            replay_file(file)


def test_a_refusal_counts_from_1_too() -> None:
    """A file whose sides agree would be refused for a row that is another's."""
    run("search --scheme alibi --symmetry shift --n 4 --d 1 --out o")
    (file,) = Path("o").rglob("*.json")
    data = json.loads(file.read_text())
    data["sigma"] = [0, 1, 2, 3]
    data["claim"] = data["claim"].replace("[1, 2, 3, 0]", "[0, 1, 2, 3]")
    sides = replay_file(file).witness.rhs
    of_x = [str(sides[k][0][0]) for k in (3, 0, 1, 2)]
    data["lhs"] = data["rhs"] = [[v] for v in of_x]
    file.write_text(json.dumps(data))
    assert run(f"replay {file}", 1) == "REFUTED: both sides agree in row 1, column 1"
    assert "row 0, column 0" in run(f"replay {file} --json", 1)


@pytest.mark.parametrize("given", ["2,3,1", "1,2,0"])
@pytest.mark.parametrize("command", ["search --d 1 --out o", "symmetry"])
def test_sigma_is_read_in_both_countings(command: str, given: str) -> None:
    """A permutation copied from JSON, or from the text, would be refused, or taken for another."""
    out = json.loads(
        run(f"{command} --scheme learned --n 3 --sigma {given} --json", int("symmetry" in command))
    )
    assert out.get("sigma", [1, 2, 0]) == [1, 2, 0]
    said = out["why"] if "why" in out else json.loads(Path(out["file"]).read_text())["claim"]
    assert "sigma = [1, 2, 0]" in said


@pytest.mark.parametrize("given", ["1,2", "2,3,4", "1,1,2", "0,1,3", "-1,0,1", "1,2,3,4", "1;2;3"])
@pytest.mark.parametrize("command", ["search --d 1", "symmetry"])
def test_a_sigma_that_is_none_is_one_line(command: str, given: str) -> None:
    """A list that is no permutation would be read as one, or be answered by a traceback."""
    done = CliRunner().invoke(cli, [*command.split(), "--scheme", "learned", "--n", "3",
                                    "--sigma", given])  # fmt: skip
    assert done.exit_code == 2
    assert f"given {given!r}, expected a permutation of 1, …, 3, as 2,1,3" in done.output


def test_the_one_place_that_counts() -> None:
    """Lists, cycles and ranges would be off by one, or disagree with each other."""
    assert [indices(g, 3) for g in ((2, 3, 1), (1, 2, 0))] == [(1, 2, 0)] * 2
    assert indices((1,), 1) == indices((0,), 1) == (0,) and indices((1, 3), 2) is None
    assert PEOPLE.images((1, 2, 0)) == [2, 3, 1] and JSON.images((1, 2, 0)) == [1, 2, 0]
    assert cycles((1, 2, 0, 4, 3)) == [(0, 1, 2), (3, 4)]
    assert cycle_text((1, 2, 0, 4, 3)) == "(1 2 3)(4 5)" and cycle_text((0,)) == "the identity"
    long = (*range(1, 12), 0)
    assert cycle_text(long, short=True) == "(1 2 3 4 … 12)" and "(1 2 3 4 5" in cycle_text(long)
    assert token_text((0, 1, 2, 5)) == "tokens 1-3, 6" and token_text((0,)) == "token 1"
    assert for_people("n = 2: σ = [1, 0]", (1, 0), "!") == "n = 2: σ = [2, 1]!"
    assert for_people("σ = [1, 0]", None) == "σ = [1, 0]"


def test_an_answer_without_a_witness_counts_from_1() -> None:
    """The σ of a reason would be JSON's in a person's text."""
    reason = "n = 2, σ = [1, 0]: every entry of the position tensors was looked at, and is kept"
    found = PositionAnswer("symmetric", "none", "permutation", 2, 1, reason, asked=(1, 0))
    assert "n = 2, σ = [2, 1], tokens counted from 1: every entry" in answer_text(found)
    assert found.to_json()["reason"] == reason


@pytest.mark.parametrize(
    "wrong",
    ["token 0", "tokens 0, 7", "(0 7)(1 6)", "row 0 is 0.1", "differ in row 0, column 0", "q[0]",
     "σ = [1, 2, 0]", "row 0 of f(X)", "sigma = [1, 0]", "counted from 0"],
)  # fmt: skip
def test_the_pattern_finds_what_it_is_for(wrong: str) -> None:
    """The check of the commands' text could not fail."""
    assert FROM_0.search(wrong)
    assert not FROM_0.search("token 10, row 1 is 0.1, X = [0, 1], (10 2), σ = [10, 1], depth 0.")
