"""`orderproof distinguish`: what it prints, its JSON, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import astuple

import numpy as np
import pytest

from tests.commands.running import Done

Run = Callable[..., tuple[int, str, str]]
CAT, DOG = "the cat chased the dog", "the dog chased the cat"
ENDED = CAT + " .", DOG + " ."


@pytest.fixture
def run(run: Callable[..., Done]) -> Run:
    """Run `orderproof distinguish` in this process, in an empty folder: status, output, errors."""
    return lambda options, *prompts: astuple(run("distinguish", *options.split(), *prompts))


def answer(run: Run, options: str, *prompts: str) -> tuple[object, object, object]:
    """Of the JSON whether the prompts are told apart, the depth, and the length of the chain."""
    status, out, err = run(options + " --json", *prompts)
    assert (status, err) == (0, "")
    data = json.loads(out)
    assert set(data) == {"distinguished", "depth", "read", "types", "rests_on"}
    return data["distinguished"], data["depth"], len(data["types"])


def test_the_reason_is_said_in_words(run: Run) -> None:
    """Otherwise a person does not learn the depth, or what tells the prompts apart."""
    status, out, err = run("--scheme causal --depth 2", *ENDED)
    assert (status, err) == (0, "") and max(map(len, out.splitlines())) <= 80
    flat = " ".join(out.split())
    for said in (
        "Told apart at the last token, from depth 2 on: for some weights the outputs differ",
        "(attention_is_colour_refinement, recorded from Rocq)",
        "Layer 2: of what it attends to, the share of tokens of the type of token 2 of prompt 1 "
        "(cat) is 1/6 for token 6 of prompt 1 (.), 0 for token 6 of prompt 2 (.).",
        "Layer 1: of what it attends to, the share of “the” is 1/2 for token 2 of prompt 1 (cat), "
        "2/5 for token 5 of prompt 2 (cat).",
    ):
        assert said in flat, said
    assert "On paper" not in flat


def test_the_json_counts_from_zero(run: Run) -> None:
    """Otherwise a program reads other tokens, or cannot read the chain."""
    _, out, _ = run("--scheme causal --depth 2 --json", *ENDED)
    last, first = json.loads(out)["types"]
    assert last == {
        "depth": 2,
        "tokens": [
            {"prompt": 0, "token": 5, "word": "."}, {"prompt": 1, "token": 5, "word": "."}
        ],
        "head": 0,
        "seen": {"prompt": 0, "token": 1, "word": "cat"},
        "shares": ["1/6", "0"],
        "places": [[1], []],
    }  # fmt: skip
    assert first["depth"] == 1 and first["shares"] == ["1/2", "2/5"]


@pytest.mark.parametrize(
    ("options", "prompts", "expected"),
    [
        ("--scheme causal --depth 2", (CAT, DOG), (True, 0, 1)),
        ("--scheme causal --depth 2 --read pooled", (CAT, DOG), (True, 1, 2)),
        ("--scheme causal --depth 1", ENDED, (False, None, 0)),
        ("--scheme causal --depth 2", ENDED, (True, 2, 2)),
        ("--scheme none --depth 9", ENDED, (False, None, 0)),
        ("--scheme none --depth 1 --read pooled", (CAT, DOG), (False, None, 0)),
        ("--scheme window --depth 9 --window 2", ("a b c d e f", "b a c d e f"), (True, 2, 2)),
        ("--scheme blocks --blocks 3,3", ENDED, (True, 1, 1)),
        ("--scheme blocks --blocks 3,2,1 --depth 5", ENDED, (False, None, 0)),
        ("--scheme relative-2d --columns 3", ENDED, (True, 1, 1)),
        ("--scheme shaw --clip 1 --depth 1", ("a b c d", "b a c d"), (False, None, 0)),
        ("--scheme prefix --prefix 5 --depth 4", ENDED, (False, None, 0)),
        ("--scheme alibi", ("a", "a"), (False, None, 0)),
    ],
)
def test_answers(
    run: Run, options: str, prompts: tuple[str, str], expected: tuple[object, ...]
) -> None:
    """Otherwise an option of a scheme, the depth or the reading would not be heeded."""
    assert answer(run, options, *prompts) == expected


@pytest.mark.parametrize(
    ("options", "prompts", "said"),
    [
        ("--scheme causal", ENDED, "Not told apart at the last token: with 1 layer no weights, of "
         "any width, give the two prompts different outputs"),
        ("--scheme causal", ENDED, "More layers do: from depth 2 on, for some weights."),
        ("--scheme none", ENDED, "Nor do more layers: the types are stable, at every depth."),
        ("--scheme causal", (CAT, DOG), "before any layer (depth 0)"),
        ("--scheme causal", (CAT, DOG), "token 5 of prompt 1 (dog) and token 5 of prompt 2 (cat): "
         "the words differ."),
        ("--scheme causal --read pooled", (CAT, DOG), "Told apart by the mean of a row-wise map "
         "over all tokens, from depth 1 on"),
        ("--scheme causal --read pooled", (CAT, DOG), "Depth 1: tokens of the type of token 2 of "
         "prompt 1 (cat): 1/5 of prompt 1 and 0 of prompt 2."),
        ("--scheme learned", ENDED, "the share of “cat” with the row of place 2 is 1/6"),
        ("--scheme learned", ("a a", "a"), "and token 1 of prompt 2 (a): the rows added to them "
         "differ."),
        ("--scheme learned", ENDED, "On paper: the theorem is carried over to added rows"),
        ("--scheme causal --read pooled", (CAT, DOG), "On paper: the theorem is carried over to a "
         "mean over all tokens"),
        ("--scheme rope", ENDED, "“cat”: token 6 of prompt 1 (.) attends to it at token 2, token "
         "6 of prompt 2 (.) at token 5, and the position terms tell these apart."),
        ("--scheme rope", ENDED, "On paper: the theorem is carried over to rotations"),
        ("--scheme shaw", ENDED, "On paper: the theorem is carried over to relative keys"),
        ("--scheme alibi", ENDED, "alibi, slope 1/2: −|i − j| times a slope"),
        ("--scheme blocks --blocks 3,2,1", ENDED, "blocks, blocks 3,2,1: tokens attend"),
        ("--scheme alibi", ENDED, "the share of “cat” is about 0.0560404 for token 6 of prompt 1 "
         "(.), about 0.251156"),
    ],
)  # fmt: skip
def test_sentences(run: Run, options: str, prompts: tuple[str, str], said: str) -> None:
    """Otherwise one of the cases is put into words that say another thing."""
    status, out, _ = run(options, *prompts)
    assert status == 0 and said in " ".join(out.split())


def test_files(run: Run) -> None:
    """Otherwise a bias, a mask or a table of one's own is not read, or not as `symmetry` does."""
    causal = np.tril(np.ones((6, 6)))
    np.save("causal.npy", causal)
    np.save("two.npy", np.stack([np.ones((6, 6)), causal]))
    np.save("zero.npy", np.zeros((6, 6)))
    np.save("far.npy", -np.abs(np.subtract.outer(np.arange(6), np.arange(6))) / 2)
    np.save("rows.npy", np.arange(16).reshape(8, 2))
    np.save("equal.npy", np.ones((6, 2)))
    assert answer(run, "--mask causal.npy --depth 3", *ENDED) == (True, 2, 2)
    assert answer(run, "--mask causal.npy --bias zero.npy --depth 1", *ENDED) == (False, None, 0)
    assert answer(run, "--bias far.npy", *ENDED) == (True, 1, 1)
    assert answer(run, "--table rows.npy", *ENDED) == (True, 1, 1)
    assert answer(run, "--table equal.npy --depth 4", *ENDED) == (False, None, 0)
    flat = " ".join(run("--mask two.npy --depth 2", *ENDED)[1].split())
    assert "two.npy, 2 heads; 2 layers with skips." in flat and "Layer 1, head 2: of" in flat


def test_words_are_parted_at_white_space(run: Run) -> None:
    """Otherwise a full stop or a capital would silently be taken off, or spaces be words."""
    assert answer(run, "--scheme none", "a  b\tc\n", " c b a")[:2] == (True, 0)
    assert answer(run, "--scheme none", "a  b\tc\n", " b a c")[:2] == (False, None)
    assert answer(run, "--scheme none", "a b.", "a b")[:2] == (True, 0)
    assert answer(run, "--scheme none", "a b", "a B")[:2] == (True, 0)
