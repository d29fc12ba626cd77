"""The search for any scheme and symmetry: witnesses, proofs instead of a search, and refusals."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from orderproof.check.schemes import answers as position_answers
from orderproof.check.schemes.answers import search, text
from orderproof.check.schemes.table import UNPLACED
from orderproof.command_line import cli, main
from orderproof.symbolic.schemes import search as position_search
from orderproof.symbolic.schemes.definitions import POSITION_SCHEMES
from orderproof.symbolic.schemes.search import WIDTHS
from orderproof.symbolic.schemes.sizes import looked_at
from orderproof.symbolic.schemes.symmetries import SYMMETRIES
from orderproof.symbolic.schemes.table_search import SearchError
from orderproof.symbolic.witness.replay import check
from orderproof.symbolic.witness.scheme_file import dumps, parse

QUICK = ("none", "learned", "alibi", "causal", "rope")


def test_a_witness_by_hand() -> None:
    """The sentence, or the numbers to redo it by, would not be those of ALiBi: weights 1/2, 1, 1/2
    around the middle token, and 1, 1/2, 1/4 from the first."""
    found = search("alibi", "permutation", 3, 1)
    assert found.answer == "witness" and found.sigma == (1, 0, 2)
    assert found.reason == (
        "when tokens 1 and 2 change places, the output of token 2 changes from 1/2 to 4/7"
    )
    said = text(found)
    assert "row 2 of f(X) = (1/2·0 + 1·1 + 1/2·0) / (1/2 + 1 + 1/2)" in said
    assert "row 1 of f(PX) = (1·1 + 1/2·0 + 1/4·0) / (1 + 1/2 + 1/4)" in said


@pytest.mark.parametrize(
    ("scheme", "symmetry", "n", "d"),
    [
        ("rope", "permutation", 2, 4),  # two frequencies
        ("rope-causal", "context-1", 3, 2),
        ("rope-partial", "permutation", 2, 3),
        ("rope-partial", "permutation", 2, 2),  # nothing that is not turned
        ("blocks-causal", "permutation", 4, 1),
        ("relative-2d-swap", "shift", 4, 1),
        ("sinusoidal", "offset", 1, 2),
        ("causal", "context-2", 3, 1),
        ("circulant", "blocks", 6, 1),
        ("learned", "shift", 2, 3),
    ],
)
def test_witnesses_replay(scheme: str, symmetry: str, n: int, d: int) -> None:
    """A witness would be reported that its replay does not confirm, or none be found."""
    found = search(scheme, symmetry, n, d)
    assert found.witness is not None and check(found.witness).ok
    assert (found.witness.n, found.witness.d) == (n, d)
    assert "changes from" in found.reason and text(found).count("\n") >= 5


@pytest.mark.parametrize(
    ("scheme", "symmetry", "n", "reason"),
    [
        ("alibi", "reversal", 4, "proved for all n"),
        ("alibi", "permutation", 2, "n = 2, any permutation"),  # the swap of two is the reversal
        ("causal", "context-1", 5, "proved for all n"),
        ("circulant", "shift", 5, "proved for all n"),
        ("t5", "ids", 5, "positions are permuted with their tokens"),
        ("none", "offset", 5, "no token has a position"),
        ("learned", "permutation", 1, "the only permutation of this family at n = 1"),
        ("causal", "blocks", 2, "the only permutation of this family at n = 2 is the identity"),
    ],
)
def test_a_symmetric_scheme_gets_its_proof(
    scheme: str, symmetry: str, n: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A futile search would be made where there is a proof, or a proof claimed of all n that is of
    one n alone."""
    monkeypatch.delattr(position_answers, "look")
    found = search(scheme, symmetry, n, 1)
    assert found.answer == "symmetric" and reason in found.reason
    assert found.witness is None and text(found).count("\n") == 2


def test_one_permutation() -> None:
    """The σ that was asked for would be passed over for another."""
    assert search("window", "permutation", 4, 1, (3, 2, 1, 0)).answer == "symmetric"
    found = search("window", "permutation", 4, 1, (1, 2, 3, 0))
    assert found.sigma == (1, 2, 3, 0)
    assert "in the order 2, 3, 4, 1" in found.reason


def test_none_within_the_bound_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Candidates that show nothing would be taken for a proof, or the bound not be said."""
    monkeypatch.setattr(position_search, "MOST", 1)  # all tokens 0: of a bias it shows nothing
    found = search("alibi", "permutation", 3, 1)
    assert found.answer == "none within bound" and "this is no proof" in found.reason
    assert "none of 2 candidates for 2 of 2 permutations" in found.reason


def test_out_of_time_is_unknown() -> None:
    """A search that had no time to look would say that nothing is there."""
    found = search("alibi", "permutation", 3, 1, timeout=1e-9)
    assert found.answer == "unknown" and "0 candidates" in found.reason


def test_overlapping_enclosures_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enclosures that are too wide to tell both sides apart would be taken for equality."""
    wide = tuple((Fraction(-9), Fraction(9)) for _ in range(2))
    monkeypatch.setattr(position_search, "sides", lambda w: ((wide, wide), (wide, wide)))
    monkeypatch.setattr(position_search, "MOST", 3)
    found = search("rope", "permutation", 2, 2)
    assert found.answer == "unknown" and "of 3 the enclosures of both sides overlap" in found.reason


@pytest.mark.parametrize(
    ("scheme", "option"), [("window", "--window"), ("prefix", "--prefix"), ("shaw", "--clip")]
)
def test_the_least_parameter_is_the_same_everywhere(
    scheme: str, option: str, tmp_path: Path
) -> None:
    """A scheme or a parameter that `symmetry` knows would be refused by `search` or `table`."""
    run = CliRunner()
    for value in (0, -1):
        given = ["--scheme", scheme, option, str(value)]
        group = run.invoke(cli, ["symmetry", "--n", "4", *given])
        table = run.invoke(cli, ["table", *given, "--jobs", "1"])
        size = ["--n", "4", "--d", "1", "--out", str(tmp_path)]
        searched = run.invoke(cli, ["search", *given, *size])
        assert {x.exit_code == 0 for x in (table, searched, group)} == {value == 0}
        if value == 0:
            alone = "order 24" in group.output
            assert searched.output.startswith("symmetric") == alone == (scheme != "prefix")


def test_parameters_are_those_of_the_file(tmp_path: Path) -> None:
    """A witness for w = 2 would be replayed, or told, as one for w = 1."""
    given = ["search", "--scheme", "window", "--n", "5", "--d", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, [*given, "--window", "2", "--json"])
    answer = json.loads(done.output)
    assert done.exit_code == 0 and answer["parameters"] == {"w": 2}
    assert CliRunner().invoke(cli, ["replay", answer["file"]]).exit_code == 0
    data = json.loads(Path(answer["file"]).read_text("utf-8"))
    assert data["parameters"] == {"w": 2} and "window, w = 2" in data["claim"]
    data["parameters"], data["claim"] = {"w": 1}, data["claim"].replace("w = 2", "w = 1")
    Path(answer["file"]).write_text(json.dumps(data), "utf-8")
    assert CliRunner().invoke(cli, ["replay", answer["file"]]).exit_code == 1
    done = CliRunner().invoke(cli, [*given[:4], "3", *given[5:], "--window", "2"])
    assert done.output.startswith("symmetric: window, w = 2")


@pytest.mark.parametrize(
    ("given", "answer", "status"),
    [
        (["--scheme", "alibi", "--n", "3"], "witness", 0),
        (["--scheme", "alibi", "--n", "2"], "symmetric", 0),
        (["--scheme", "alibi", "--n", "3", "--timeout", "1e-9"], "unknown", 3),
    ],
)
def test_status(given: list[str], answer: str, status: int, tmp_path: Path) -> None:
    """The exit status would not be the one that is documented."""
    given = ["search", *given, "--d", "1", "--json", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, given)
    assert json.loads(done.stdout)["answer"] == answer and done.exit_code == status


@pytest.mark.parametrize(
    ("name", "more"),
    [(n, ()) for n in QUICK]
    + [pytest.param(n, (1,), marks=pytest.mark.slow) for n in POSITION_SCHEMES],
)
def test_every_symmetry_near_its_smallest_size(name: str, more: tuple[int, ...]) -> None:
    """Where the table says refuted the search would find nothing, or something that does not
    replay from its file; or a witness where it is kept."""
    s = POSITION_SCHEMES[name]
    for y in SYMMETRIES.values():
        sizes = looked_at(s, y)
        refuted = y.reads != "ids" and name not in UNPLACED and sizes.smallest is not None
        first = sizes.smallest or s.extra + 2 * y.unit(s)
        sizes_of = (first, *(first + k * y.unit(s) for k in more))
        for n, d in product(sizes_of, (1, 2, 3) if more else (1, 2)):
            if d < WIDTHS.get(name, 1):
                continue
            found = search(name, y.name, n, d)
            assert found.answer == ("witness" if refuted else "symmetric"), (y.name, n, d)
            if found.witness is not None:
                again = parse(dumps(found.witness).encode(), "w")
                assert again == found.witness and check(again).ok, (y.name, n, d)
                assert again.reads == y.reads and (again.n, again.d) == (n, d)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("alibi", "revers", 3, 1), "did you mean reversal"),
        (("alibi", "reversal", 99, 1), "expected an integer from 1 to 16"),
        (
            ("rope", "permutation", 3, 1),
            "d: given 1 for the scheme rope, expected an integer from 2",
        ),
        (("documents", "blocks", 4, 1), "a multiple of 2, and 1 more"),
        (
            ("learned", "blocks", 5, 1),
            "n: given 5 for the symmetry blocks, expected a multiple of 2",
        ),
        (("causal", "blocks", 3, 1), "a multiple of 2, the length of a block"),
        (("alibi-causal", "blocks", 7, 1), "a multiple of 2, the length of a block"),
        (("rope-causal", "blocks", 5, 2), "a multiple of 2, the length of a block"),
        (("constant", "blocks", 3, 1), "a multiple of 2, the length of a block"),
        (("alibi", "shift", 3, 1, (1, 0, 2)), "which says what σ is"),
        (("alibi", "permutation", 3, 1, (0, 0, 2)), "a permutation of 0 to 2"),
        (("alibi", "context-1", 3, 1, (1, 2, 0)), "the last token left where it is"),
    ],
)
def test_refusals(given: tuple[str, str, int, int], message: str) -> None:
    """What makes no sense would be answered."""
    with pytest.raises(SearchError, match=message):
        search(*given)


def test_command(tmp_path: Path) -> None:
    """The command would write no file, one that does not replay, or end with another status."""
    given = ["search", "--scheme", "window", "--n", "4", "--d", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, [*given, "--symmetry", "shift", "--json"])
    answer = json.loads(done.output)
    assert done.exit_code == 0 and answer["answer"] == "witness" and answer["symmetry"] == "shift"
    assert CliRunner().invoke(cli, ["replay", answer["file"]]).exit_code == 0
    done = CliRunner().invoke(cli, [*given, "--symmetry", "reversal"])
    assert done.exit_code == 0 and done.output.startswith("symmetric: window")


def test_one_permutation_is_not_called_the_family(tmp_path: Path) -> None:
    """ALiBi, which keeps the reversal alone, would be called symmetric under any permutation; and a
    learned table without a word of the identity."""
    given = ["search", "--n", "5", "--d", "1", "--out", str(tmp_path), "--scheme"]
    for asked, head in (
        ("alibi --sigma 5,4,3,2,1", "symmetric: alibi, for σ = [5, 4, 3, 2, 1], n = 5, d = 1\n"),
        ("alibi --symmetry reversal", "symmetric: alibi, reversal of the tokens, n = 5, d = 1\n"),
        ("learned --sigma 1,2,3,4,5", "symmetric: learned, n = 5, d = 1, for the identity\n"),
        ("none --sigma 5,4,3,2,1", "symmetric: none, n = 5, d = 1\n"),
    ):
        assert CliRunner().invoke(cli, [*given, *asked.split()]).output.startswith(head)


def test_every_symmetry_has_a_family() -> None:
    """A symmetry would be known that no σ can be chosen for, or none at all."""
    assert set(position_answers.CHOSEN) < set(SYMMETRIES)


@pytest.mark.parametrize("scheme", ["rope", "alibi", "window", "learned"])
def test_many_tokens(scheme: str) -> None:
    """All 3^16 candidates would be listed before the first is tried."""
    found = search(scheme, "permutation", 16, 2)
    assert found.witness is not None and check(found.witness).ok


def test_no_blocks_is_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A family without a permutation would be called symmetric: nothing was tested."""
    given = ["search", "--scheme", "learned", "--symmetry", "blocks", "--d", "1"]
    for n, status in ((5, 2), (4, 0)):
        with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.argv", ["orderproof", *given, "--n", str(n), "--out", str(tmp_path)])
            main()
        said = capsys.readouterr()
        assert ended.value.code == status and said.err.count("\n") == (status == 2)
        assert said.out.startswith("witness") == (status == 0)
