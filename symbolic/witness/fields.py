"""The fields of counterexample files: each read strictly, and refused in one line.

Nothing in a file is run as code, and what it may cost is bounded: see the limits below. Of the
project only input_file.py, strict_json.py and counting.py stand below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from orderproof.symbolic import strict_json
from orderproof.symbolic.counting import Counting

MAX_BYTES = 2**20
TENSOR_DIGITS = 30  # of a numerator, and of the common denominator of a tensor
SIDE_DIGITS = 4000
PLACES = 20  # decimals of the ends of an enclosure
_FRACTION = re.compile(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]{20}")
W = TypeVar("W")
Matrix = tuple[tuple[Fraction, ...], ...]
Enclosure = tuple[Fraction, Fraction]  # lower and upper end; the same where the value is exact
Side = tuple[tuple[Enclosure, ...], ...]


class WitnessError(ValueError):
    """A counterexample file that is not one: where, what was given and what was expected."""


def place(differ: tuple[int, int], c: Counting) -> str:
    """A place in words."""
    return f"row {c(differ[0])}, column {c(differ[1])}"


def decimal(end: Fraction) -> str:
    """A multiple of 10^-20 in full."""
    units = end * 10**PLACES
    if units.denominator != 1:
        raise WitnessError(f"given {end}, expected a multiple of 10^-{PLACES}")
    whole, part = divmod(abs(int(units)), 10**PLACES)
    return f"{'-' if units < 0 else ''}{whole}.{part:0{PLACES}}"


def parsed(witness: Callable[[Any], W], data: bytes, name: str) -> W:
    """What `witness` reads in the JSON of a file; WitnessError, in one line, where it is none."""
    try:
        return witness(json_of(data))
    except WitnessError as e:
        raise WitnessError(f"{name}: {e}") from None


class _Unfit(str):
    """A JSON number that no field takes: a float, NaN, an integer of many digits."""

    def __repr__(self) -> str:
        return f"the number {clip(str(self))}"


def clip(text: str) -> str:
    """A text as a message shows it, cut where it is long."""
    return text if len(text) <= 60 else f"{text[:50]}... ({len(text)} characters)"


def need_permutation(sigma: Any, n: int) -> None:
    """WitnessError where sigma is no permutation of the places 0 to n − 1 as a list."""
    holds = isinstance(sigma, list) and all(integer(i, 0, n - 1) for i in sigma)
    holds = holds and sorted(sigma) == list(range(n))
    need(holds, "sigma", sigma, f"a permutation of 0 to {n - 1} as a list of integers")


def need(holds: bool, where: str, given: object, expected: str) -> None:
    """Refuse what does not hold: where, what was given, what was expected."""
    if not holds:
        raise WitnessError(f"{where}: given {clip(repr(given))}, expected {expected}")


def json_of(data: bytes) -> Any:
    """The JSON in bytes, read strictly."""
    if len(data) > MAX_BYTES:
        raise WitnessError(f"given more than {MAX_BYTES} bytes, expected a counterexample file")
    try:
        return strict_json.loads(
            data,
            parse_float=_Unfit,
            parse_constant=_Unfit,
            parse_int=lambda text: int(text) if len(text) <= 9 else _Unfit(text),
        )
    except strict_json.JsonError as e:
        raise WitnessError(str(e)) from None


def keys_of(value: Any, where: str, keys: Sequence[str]) -> None:
    """An object with these keys and no others."""
    need(isinstance(value, dict), where, value, f"an object with the keys {', '.join(keys)}")
    for key in keys:
        need(key in value, where, f"no key {key}", f"the keys {', '.join(keys)}")
    for key in value:
        need(key in keys, where, f"the key {key}", f"only the keys {', '.join(keys)}")


def integer(value: Any, low: int, high: int) -> bool:
    """Whether a value is an integer within bounds."""
    return type(value) is int and low <= value <= high


def rows_of(
    given: Any, where: str, n: int, d: int, entry: Callable[[Any, str], Any]
) -> tuple[tuple[Any, ...], ...]:
    """A list of n rows of d entries each."""
    need(isinstance(given, list) and len(given) == n, where, given, f"a list of {n} rows")
    for i, row in enumerate(given):
        fits = isinstance(row, list) and len(row) == d
        need(fits, f"{where}[{i}]", row, f"a list of length {d}")
    return tuple(
        tuple(entry(v, f"{where}[{i}][{k}]") for k, v in enumerate(row))
        for i, row in enumerate(given)
    )


def fraction_of(digits: int) -> Callable[[Any, str], Fraction]:
    """What reads a fraction in quotes with at most so many digits."""

    def entry(given: Any, where: str) -> Fraction:
        fits = type(given) is str and _FRACTION.fullmatch(given) is not None
        need(fits, where, given, 'a fraction in quotes such as "-3/2"')
        above, _, below = given.partition("/")
        short = len(above.lstrip("-")) <= digits and len(below) <= digits
        need(short, where, given, f"at most {digits} digits above and below")
        value = Fraction(int(above), int(below or "1"))
        need(str(value) == given, where, given, f"lowest terms, {clip(str(value))}")
        return value

    return entry


def tensor_of(given: Any, where: str, n: int, d: int) -> Matrix:
    """A matrix of n×d fractions whose common denominator is no costly one."""
    rows: Matrix = rows_of(given, where, n, d, fraction_of(TENSOR_DIGITS))
    common = math.lcm(*(v.denominator for row in rows for v in row))
    most = f"a common denominator below 10^{TENSOR_DIGITS}"
    need(common < 10**TENSOR_DIGITS, where, "other ones", most)
    return rows


def enclosure_of(given: Any, where: str) -> Enclosure:
    """Two decimals in quotes, the lower first."""
    fits = isinstance(given, list) and len(given) == 2 and all(type(v) is str for v in given)
    fits = fits and all(len(v) <= 90 and _DECIMAL.fullmatch(v) for v in given)
    need(fits, where, given, f"two decimals in quotes with {PLACES} places")
    low, high = (Fraction(v) for v in given)
    canonical = [decimal(low), decimal(high)] == given and low <= high
    need(canonical, where, given, "the lower end first, and no -0")
    return low, high
