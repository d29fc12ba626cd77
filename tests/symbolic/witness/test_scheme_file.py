"""The counterexample file: what is written is read back, and nothing else is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from orderproof.symbolic.schemes.table_search import search
from orderproof.symbolic.schemes.tables import SCHEMES, sinusoid
from orderproof.symbolic.witness.fields import MAX_BYTES, WitnessError, decimal
from orderproof.symbolic.witness.scheme_file import (
    TABLES,
    PositionWitness,
    dumps,
    parse,
    sinusoid_text,
)


def one(value: int | Fraction) -> Any:
    """A matrix of one entry."""
    return ((Fraction(value),),)


def column(*values: int | Fraction) -> Any:
    """A matrix of one column."""
    return tuple((Fraction(v),) for v in values)


def exactly(*values: Fraction | int) -> Any:
    """A side of one column."""
    return tuple(((Fraction(v), Fraction(v)),) for v in values)


# By hand: X + E = (1, 1), so all weights are equal and f(X) = (1, 1). PX + E = (0, 2): row 0 has
# scores 0, 0 and gives 1; row 1 has scores 0, 4, weights 1, 16, and gives 32/17.
BY_HAND = PositionWitness(
    "learned", {}, "layer", 1, 2, 1, (1, 0), {"0": (Fraction(0),), "1": (Fraction(1),)},
    column(1, 0), ({"W_Q": one(1), "W_K": one(1), "W_V": one(1)},),
    exactly(1, Fraction(32, 17)), exactly(1, 1), (1, 0),
)  # fmt: skip


def sinusoidal() -> PositionWitness:
    """The witness for the table of sines, n = 2, d = 1."""
    found = search("sinusoidal", 2, 1).witness
    assert found is not None
    return found


def changed(edit: Callable[[Any], object], witness: PositionWitness = BY_HAND) -> bytes:
    """The file of a witness with its JSON edited."""
    data = json.loads(dumps(witness))
    edit(data)
    return json.dumps(data).encode()


def refused(data: bytes) -> str:
    """The message with which a file is refused: one line that begins with its name."""
    with pytest.raises(WitnessError) as caught:
        parse(data, "given.json")
    message = str(caught.value)
    assert message.startswith("given.json: ") and message.isprintable() and len(message) < 900
    return message


def test_written_is_read(tmp_path: Path) -> None:
    """A witness would change by being saved, or the same witness give two different files."""
    for witness in (BY_HAND, sinusoidal()):
        text = dumps(witness)
        (tmp_path / "w.json").write_text(text, encoding="utf-8")
        assert parse((tmp_path / "w.json").read_bytes(), "w.json") == witness
        assert text == dumps(witness) == dumps(parse(text.encode(), "w"))


def test_reads_as_a_page() -> None:
    """A person could not read the file: a field a line, fractions, the units, the claim."""
    lines = dumps(BY_HAND).splitlines()
    assert '  "X": [["1"], ["0"]],' in lines
    assert '  "lhs": [["1"], ["32/17"]],' in lines
    assert '  "units": "sqrt(d)*ln(2) on W_Q, ln(2) on what is added to scores",' in lines
    assert '  "table": {"0": ["sin(0/10000^(0/1))"], "1": ["sin(1/10000^(0/1))"]},' in dumps(
        sinusoidal()
    )
    assert "differ in row 1, column 0" in dumps(BY_HAND)
    assert max(map(len, lines)) < 500


def test_names_agree_with_the_schemes() -> None:
    """The file format, which may not import the schemes, would know others than the search does."""
    assert tuple(SCHEMES) == TABLES
    for d in (1, 2, 3, 8):
        for k in range(d):
            function, power = sinusoid(5, k, d)
            assert sinusoid_text(5, k, d).startswith(f"{function}(5/10000^(")
            assert Fraction(sinusoid_text(5, k, d).split("^(")[1].rstrip(")")) == power


def put(*path: Any, value: Any) -> Callable[[Any], object]:
    """An edit that puts a value at a path of keys."""

    def edit(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return edit


X00 = ("X", 0, 0)


@pytest.mark.parametrize(
    ("edit", "where", "expected"),
    [
        (put(*X00, value="1/0"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value=0.5), "X[0][0]: given the number 0.5", "a fraction in quotes"),
        (put(*X00, value=1), "X[0][0]: given 1", "a fraction in quotes"),
        (put(*X00, value=float("nan")), "given the number NaN", "a fraction in quotes"),
        (put(*X00, value=float("inf")), "given the number Infinity", "a fraction in quotes"),
        (put(*X00, value="0.5"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value="1e999999999"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value="one"), "given 'one'", "a fraction in quotes"),
        (put(*X00, value="__import__('os')"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value="٣"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value="1\n"), "X[0][0]", "a fraction in quotes"),
        (put(*X00, value="2/4"), "given '2/4'", "lowest terms, 1/2"),
        (put(*X00, value="-0"), "given '-0'", "lowest terms, 0"),
        (put(*X00, value=None), "given None", "a fraction in quotes"),
        (put(*X00, value="9" * 31), "X[0][0]", "30 digits"),
        (put("lhs", 0, 0, value="9" * 4001), "lhs[0][0]", "at most 4000 digits"),
        (put("X", value=[["1"]]), "X", "a list of 2 rows"),
        (put("X", 1, value=["0", "0"]), "X[1]", "a list of length 1"),
        (put("layers", 0, "W_V", value="1"), "layers[0].W_V", "a list of 1 rows"),
        (put("layers", 0, "B", value=[]), "layers[0]: given 'the key B'", "only the keys W_Q"),
        (put("layers", 0, value=[]), "layers[0]: given []", "an object with the keys W_Q"),
        (put("layers", value=[]), "layers: given []", "a list of 1"),
        (put("table", value=[["0"], ["1"]]), "table", "labelled rows"),
        (put("table", "1", value=["0", "0"]), "table[1]", "a list of length 1"),
        (put("table", value={"0": ["0"]}), "table: given ['0']", "the labels 0 to 1"),
        (put("table", value={"0": ["0"], "2": ["1"]}), "table: given ['0', '2']", "the labels 0"),
        (put("table", value={str(i): ["0"] for i in range(4)}), "table", "the labels 0 to 1"),
        (put("sigma", value=[0, 0]), "sigma: given [0, 0]", "a permutation of 0 to 1"),
        (put("sigma", value=[True, False]), "sigma", "a permutation of 0 to 1"),
        (put("sigma", value=[1, 0, 2]), "sigma", "a permutation of 0 to 1"),
        (put("sigma", value="10"), "sigma: given '10'", "a permutation of 0 to 1"),
        (put("differ", value=[2, 0]), "differ: given [2, 0]", "within 2 rows and 1 columns"),
        (put("differ", value=[-1, 0]), "differ", "within 2 rows"),
        (put("scheme", value="ropes"), "scheme: given 'ropes'", "one of: "),
        (put("scheme", value=["none"]), "scheme", "one of"),
        (put("scheme", value="sinusoidal"), "table", "the sinusoids {'0': ['sin(0/10000^(0/1))']"),
        (put("scheme", value="constant"), "table", "the labels 0 to 0 (scheme constant)"),
        (put("scheme", value="none"), "table", "no rows (scheme none)"),
        (put("kind", value="proof"), "kind: given 'proof'", "one of: exact, interval"),
        (put("kind", value="interval"), "kind: given 'interval'", "exact for the scheme learned"),
        (put("version", value=2), "version: given 2", "1"),
        (put("version", value=True), "version: given True", "1"),
        (
            put("format", value="other"),
            "format: given 'other'",
            "orderproof-position-counterexample",
        ),
        (put("units", value="1"), "units", "sqrt(d)*ln(2) on W_Q"),
        (put("claim", value="P = NP"), "claim: given 'P = NP'", "the sentence: attention with"),
        (put("claim", value="\ud800"), "claim", "the sentence"),
        (put("n", value=0), "n: given 0", "1 to 64"),
        (put("n", value=65), "n: given 65", "1 to 64"),
        (put("n", value=10**400), "n: given the number 1000", "1 to 64"),
        (lambda data: data.update(depth=2, n=17), "n: given 17", "1 to 16"),
        (lambda data: data.update(scheme="alibi", n=17), "n: given 17", "1 to 16"),
        (lambda data: data.update(scheme="alibi", d=5), "d: given 5", "1 to 4"),
        (put("n", value="2"), "n: given '2'", "1 to 64"),
        (put("d", value=2.0), "d: given the number 2.0", "1 to 64"),
        (lambda data: data.pop("rhs"), "file: given 'no key rhs'", "the keys format"),
        (put("note", value=""), "file: given 'the key note'", "only the keys"),
    ],
)
def test_refuses(edit: Callable[[Any], object], where: str, expected: str) -> None:
    """A file that is no counterexample would be read as one, or refused without saying why."""
    message = refused(changed(edit))
    assert where in message and expected in message
    before, after = message.split("given.json: ", 1)[1], message.rsplit("expected ", 1)
    assert before and len(after) == 2


def test_refuses_what_is_not_json_text() -> None:
    """A truncated, empty, binary or doubled file would crash the reader or be read in part."""
    text = dumps(BY_HAND).encode()
    for data in (text[:-3], text[:40], b"", b"null", b"[]", b"\xff\xfe", b"\x00" * 9, text + b"{}"):
        refused(data)
    assert "line 1, column 1" in refused(b"no")
    assert "not UTF-8" in refused(text.replace(b"learned", b"le\xe9rned"))
    assert "given it twice" in refused(text.replace(b'  "n": 2,', b'  "n": 2, "n": 2,'))
    assert "nested too deeply" in refused(b"[" * 200_000)
    assert "nested too deeply" in refused(b'{"n":' * 100_000)
    assert "more than" in refused(b" " * (MAX_BYTES + 1))


def test_refuses_costly_fractions() -> None:
    """A small file could hold denominators whose common multiple takes for ever to compute with."""
    primes = [p for p in range(2, 400) if all(p % q for q in range(2, p))][:64]
    rows = [[f"1/{p**3}"] for p in primes]
    sigma = [1, 0, *range(2, 64)]
    zeros = [["0"]] * 64

    def edit(data: Any) -> None:
        data |= {"n": 64, "sigma": sigma, "lhs": zeros, "rhs": zeros}
        data |= {"X": rows, "table": {str(i): ["0"] for i in range(64)}}

    assert "X: given" in refused(changed(edit))
    assert "a common denominator below 10^30" in refused(changed(edit))


def test_refuses_a_table_of_sines_that_is_another() -> None:
    """A file could call any table sinusoidal, and be replayed with the true one."""
    found = sinusoidal()
    for text in ("sin(2/10000^(0/1))", "cos(1/10000^(0/1))", "1", "sin(1)"):
        edit = put("table", "1", 0, value=text)
        assert "table: given" in refused(changed(edit, found))
    low, high = json.loads(dumps(found))["lhs"][0][0]
    for ends in (
        [high, low],
        [low],
        low,
        [low[:-1], high],
        [low, "1e0"],
        [low, 1],
        ["-" + low] * 3,
    ):
        assert "lhs[0][0]" in refused(changed(put("lhs", 0, 0, value=ends), found))


def test_decimals_are_exact() -> None:
    """An end of an enclosure would be rounded inward when it is written."""
    unit = Fraction(1, 10**20)
    assert decimal(unit) == "0.00000000000000000001"
    assert decimal(-unit - 1) == "-1.00000000000000000001"
    assert decimal(Fraction(0)) == "0." + "0" * 20
    with pytest.raises(WitnessError, match="expected a multiple of 10"):
        decimal(unit / 2)


def test_an_older_format_is_refused_by_its_name() -> None:
    """A file of the format before would be read by another rule, or refused for a key alone."""
    older = {"format": "orderproof-counterexample", "version": 1, "factor": "1 on W_Q"}
    assert refused(json.dumps(older).encode()) == (
        "given.json: format: given 'orderproof-counterexample', "
        "expected orderproof-position-counterexample"
    )
