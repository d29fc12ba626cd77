"""Matrices read as the exact numbers that they are, and what is refused."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orderproof.numeric.groups import exact_matrix
from orderproof.numeric.groups.exact_matrix import MatrixError, of_numbers, read, without_row_maxima
from tests.numeric.groups.matrices import of_integers


def csv(folder: Path, text: str) -> Path:
    """A file of that text."""
    path = folder / "b.csv"
    path.write_text(text, encoding="utf-8")
    return path


def npy(folder: Path, array: Any) -> Path:
    """A file of that array."""
    path = folder / "b.npy"
    np.save(path, np.asarray(array))
    return path


def test_text_is_decimal_and_floats_are_binary(tmp_path: Path) -> None:
    """Otherwise 0.1 in a text file is read as the float next to it, or a float as what it shows."""
    (head,) = read(csv(tmp_path, "0.1,-inf\n1/3,-2.5e-1\n"))
    assert [head.entry(0, 0), head.entry(0, 1)] == [Fraction(1, 10), None]
    assert [head.entry(1, 0), head.entry(1, 1)] == [Fraction(1, 3), Fraction(-1, 4)]
    path = tmp_path / "b.json"
    path.write_text('[[0.1, -Infinity], ["-inf", 1e2]]')
    (head,) = read(path)
    assert [head.entry(0, 0), head.entry(0, 1)] == [Fraction(1, 10), None]
    assert [head.entry(1, 0), head.entry(1, 1)] == [None, 100]
    (head,) = read(npy(tmp_path, [[0.1, -np.inf], [1.0, 2.0]]))
    assert [head.entry(0, 0), head.entry(0, 1)] == [Fraction(0.1), None]
    assert head.entry(0, 0) != Fraction(1, 10)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64", "float16", "float32", "float64"])
def test_every_number_type_of_numpy_is_read_exactly(tmp_path: Path, dtype: str) -> None:
    """Otherwise large integers or short floats are rounded."""
    big = np.array([[1, 2], [3, np.iinfo(dtype).max if "int" in dtype else 0.3]], dtype=dtype)
    (head,) = read(npy(tmp_path, big))
    assert head.entry(1, 1) == Fraction(big[1, 1].item())


def test_row_maxima_in_floats_are_wrong_both_ways() -> None:
    """Otherwise the subtraction could be left to floats. Planted: floats make equal differences
    different (0.3 − 0.1 against 0.2 − 0), and different ones equal (1e17 − 1 against 1e17)."""
    assert 0.3 - 0.1 != 0.2 - 0.0
    tenths = [Fraction(k, 10) for k in (1, 3, 0, 2)]
    b = without_row_maxima(of_numbers(np.array([[0, 1], [2, 3]]), tenths))
    assert b.entry(0, 0) == b.entry(1, 0) == Fraction(-1, 5)
    assert 1e17 - 1.0 == 1e17 - 0.0
    large = [Fraction(10**17), Fraction(1), Fraction(0)]
    b = without_row_maxima(of_numbers(np.array([[0, 1], [0, 2]]), large))
    assert b.entry(0, 1) != b.entry(1, 1)


def test_row_maxima_are_those_of_fractions() -> None:
    """Otherwise the fast integers differ from the definition with fractions."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = int(rng.integers(1, 6))
        numbers = [None, *(Fraction(int(a), int(b)) for a, b in rng.integers(1, 30, (6, 2)))]
        ids = rng.integers(0, 7, (n, n))
        ids[np.arange(n), rng.integers(0, n, n)] = 1
        found = without_row_maxima(of_numbers(ids, numbers))
        for i in range(n):
            row = [numbers[k] for k in ids[i]]
            top = max(v for v in row if v is not None)
            assert [found.entry(i, j) for j in range(n)] == [
                None if v is None else v - top for v in row
            ]


def test_a_masked_entry_has_no_weight_and_keeps_the_others() -> None:
    """Otherwise a mask shifts the values of the entries that it leaves."""
    b = exact_matrix.masked(
        of_integers(np.array([[5, 7], [7, 5]])), np.array([[1, 0], [1, 1]]) == 1
    )
    assert [b.entry(0, 0), b.entry(0, 1), b.entry(1, 0)] == [5, None, 7]


def test_tolerance_links_neighbours_and_says_which() -> None:
    """Otherwise --tol merges too much or too little, or silently."""
    numbers = [Fraction(k) for k in (0, 1, 2, 9)]
    matrix = of_numbers(np.array([[0, 1], [2, 3]]), [None if k == 9 else k for k in numbers])
    merged, spans = exact_matrix.grouped(matrix, Fraction(1))
    assert spans == [(0, 2)]
    assert merged.entry(0, 0) == merged.entry(1, 0) == 2 and merged.entry(1, 1) is None
    untouched, none = exact_matrix.grouped(matrix, Fraction(1, 2))
    assert none == [] and untouched.values == matrix.values


def test_masks_are_read_as_flags(tmp_path: Path) -> None:
    """Otherwise true, 1 and 1.0 do not all allow, or a bias passes for a mask."""
    path = tmp_path / "m.json"
    path.write_text('[[true, 0, "1"], [false, 1, 1.0], ["true", "FALSE", 1]]')
    (mask,) = exact_matrix.read_mask(path)
    assert mask.tolist() == [[True, False, True], [False, True, True], [True, False, True]]
    (mask,) = exact_matrix.read_mask(npy(tmp_path, [[True, False], [False, True]]))
    assert mask.tolist() == [[True, False], [False, True]]
    with pytest.raises(MatrixError, match="expected 0 or 1"):
        exact_matrix.read_mask(csv(tmp_path, "1,2\n0,1\n"))


def test_heads_in_every_format(tmp_path: Path) -> None:
    """Otherwise several heads are read as one matrix, or refused."""
    heads = [[[0, 1], [1, 0]], [[2, 1], [1, 2]]]
    path = tmp_path / "b.json"
    path.write_text(json.dumps(heads))
    assert len(read(path)) == len(read(npy(tmp_path, heads))) == 2
    assert len(read(csv(tmp_path, "0,1\n1,0\n\n2,1\n1,2\n"))) == 2


def test_numbers_that_no_float_holds_are_read(tmp_path: Path) -> None:
    """Otherwise 10^400 is infinite, an integer of 30 digits is rounded, or "-inf" in JSON is not
    −∞."""
    (m,) = read(csv(tmp_path, "1e400,-inf\n1000000000000000000000000000001,1/3\n"))
    assert [m.entry(0, 0), m.entry(0, 1)] == [10**400, None]
    assert [m.entry(1, 0), m.entry(1, 1)] == [10**30 + 1, Fraction(1, 3)]
    path = tmp_path / "b.json"
    path.write_text('[["-inf", 0.1], [-Infinity, "−∞"]]')
    (m,) = read(path)
    assert [m.entry(0, 1), m.entry(0, 0), m.entry(1, 0), m.entry(1, 1)] == [
        Fraction(1, 10), None, None, None,
    ]  # fmt: skip
    (m,) = read(npy(tmp_path, np.array([[2**64 - 1, 2**64 - 2], [0, 1]], dtype=np.uint64)))
    assert m.entry(0, 0) != m.entry(0, 1)


def test_equal_rows_of_a_table_are_found_exactly(tmp_path: Path) -> None:
    """Otherwise rows that are equal as numbers are told apart by how they are written."""
    rows = exact_matrix.read_table(csv(tmp_path, "0.1,2\n1/10,2.0\n0.10000000000000001,2\n"))
    assert rows[0] == rows[1] != rows[2]


BAD = [
    ("npy", [[0.0, np.nan], [0.0, 0.0]], "row 1, column 2: given nan"),
    ("npy", [[0.0, 1.0], [np.inf, 0.0]], "row 2, column 1: given inf"),
    ("npy", [[np.inf]], "given inf"),
    ("npy", [[True, False], [False, True]], "given False.*booleans are for --mask.*torch's True"),
    ("csv", "True,False\nTrue,True\n", "given 'True'.*booleans are for --mask"),
    ("csv", "1" * 131_073 + "\n", "field larger than field limit"),
    ("npy", [0.0, 1.0], "given shape \\(2,\\)"),
    ("npy", np.zeros((0, 0)), "given shape \\(0, 0\\)"),
    ("npy", [[1j]], "not a matrix of numbers"),
    ("npy", np.zeros((2, 3)), "given 2 × 3, expected a square"),
    ("npy", np.zeros((1025, 1025), dtype=np.int8), "expected at most 1024"),
    ("csv", "1,x\n1,1\n", "row 1, column 2: given 'x'"),
    ("csv", "1,nan\n1,1\n", "row 1, column 2: given 'nan'"),
    ("csv", "1,1/0\n1,1\n", "row 1, column 2: given '1/0'"),
    ("csv", "1e999999999\n", "row 1, column 1"),
    ("csv", "1_0\n", "row 1, column 1: given '1_0'"),
    ("csv", "٣\n", "row 1, column 1: given"),
    ("csv", '"1,2\n3,4\n', "row 1, column 1: given '1,23,4'"),
    ("csv", "1;2\n3;4\n", "given 2 × 1, expected a square"),
    ("json", "", "not a matrix: given text that is not JSON at line 1"),
    ("json", "[]", "expected a list of rows"),
    ("json", "[[]]", "expected a list of rows"),
    ("json", "[[" + "9" * 5000 + "]]", "row 1, column 1: given '9{39}, expected a finite number"),
    ("json", "[[Infinity]]", "row 1, column 1: given 'Infinity'"),
    ("npy", [["a"]], "not a matrix of numbers"),
    ("npy", np.zeros((1, 1), dtype="M8[s]"), "not a matrix of numbers"),
    ("npy", np.zeros((1, 1, 1, 1)), "given shape \\(1, 1, 1, 1\\)"),
    ("json", '{"a": 1}', "expected a list of rows"),
    ("json", "[[1, null], [1, 1]]", "row 1, column 2: given None"),
    ("json", "[[1, true], [1, 1]]", "row 1, column 2: given True"),
    ("json", "[[NaN]]", "row 1, column 1: given 'NaN'"),
    ("json", "[1, 2]", "expected a list of rows"),
    ("json", "[[[1]], [[1, 2], [3, 4], [5, 6]]]", "head 2: given 3 × 2"),
    ("json", "[[[1]], 3]", "head 2: expected a list of rows"),
    ("json", "[[[[1]]]]", "row 1, column 1"),
    ("json", "{", "not a matrix"),
    ("json", "[" * 100_000, "not a matrix"),
    ("txt", "1", "given .txt, expected .npy, .json or .csv"),
]


@pytest.mark.parametrize(("kind", "content", "message"), BAD)
def test_what_is_no_matrix_is_refused(
    tmp_path: Path, kind: str, content: Any, message: str
) -> None:
    """Otherwise a wrong file ends in a traceback, or is read as something that it is not."""
    path = tmp_path / f"b.{kind}"
    if kind == "npy":
        np.save(path, np.asarray(content))
    else:
        path.write_text(content)
    with pytest.raises(MatrixError, match=message) as error:
        read(path)
    assert "\n" not in str(error.value)


def test_files_that_hold_no_array_are_refused(tmp_path: Path) -> None:
    """Otherwise pickled objects are loaded, or bytes and missing files end in a traceback."""
    path = tmp_path / "b.npy"
    for content in (b"", b"\x00\x01", b"PK\x03\x04"):
        path.write_bytes(content)
        with pytest.raises(MatrixError, match="not an array of numbers"):
            read(path)
    np.save(path, np.array([{}, 1], dtype=object), allow_pickle=True)
    with pytest.raises(MatrixError, match="not an array of numbers"):
        read(path)
    binary = tmp_path / "b.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MatrixError, match="not a matrix"):
        read(binary)


def test_what_is_no_regular_file_or_too_large_is_refused(tmp_path: Path) -> None:
    """Otherwise a pipe is waited for without end, or gigabytes fill the memory."""
    for name in ("b.npy", "b.csv", "b.json"):
        os.mkfifo(tmp_path / name)
        for reader in (read, exact_matrix.read_mask, exact_matrix.read_table):
            with pytest.raises(MatrixError, match="given a pipe, expected a matrix"):
                reader(tmp_path / name)
        large = tmp_path / f"large-{name}"
        with large.open("wb") as file:
            file.truncate(3 * 2**30)  # sparse: it takes no room
        with pytest.raises(MatrixError, match=r"which is more than 536,870,912,"):
            read(large)
    assert exact_matrix.LARGEST_FILE >= 32 * exact_matrix.LARGEST**2 * 8


def test_a_row_that_allows_nothing_is_named() -> None:
    """Otherwise softmax of nothing but −∞ is given a meaning."""
    allowed = np.array([[1] * 3, [0] * 3, [1] * 3]) == 1
    blocked = exact_matrix.masked(of_integers(np.zeros((3, 3))), allowed)
    with pytest.raises(MatrixError, match="row 2 is all −∞"):
        without_row_maxima(blocked)
