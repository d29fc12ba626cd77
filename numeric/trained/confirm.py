"""The theorem on trained weights: two orders of one sentence, with the position table and without.

Evidence, not proof: two runs of one model. What it adds to the proofs is that the theorem speaks
of the models that people use.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .checkpoint import CheckpointError, load_checkpoint
from .encoder import Encoder

FIRST = "the cat chased the dog"
SECOND = "the dog chased the cat"

# An effect of rounding is proportional to the unit roundoff, so from float32 (2^-24) to float64
# (2^-53) it shrinks by about 2^29; an effect of order is there in exact arithmetic and does not
# shrink. The line is drawn at the geometric middle: 2^14.5 of leeway to either side.
_MIDDLE = 2.0**-14.5

Verdict = Literal["order blind", "sees order", "unclear"]

Encode = Callable[[Sequence[int]], npt.NDArray[Any]]


@dataclass(frozen=True)
class Measurement:
    """How far the two orders are apart, in one dtype.

    `per_token[j]` is the largest absolute difference over the features of token j of the second
    sentence and the same token in the first; `largest` is the largest of these; `cosine` is the
    cosine similarity of the two outputs, each averaged over its tokens.
    """

    largest: float
    per_token: tuple[float, ...]
    cosine: float


@dataclass(frozen=True)
class Comparison:
    """The same measurement in both dtypes, and what the pair of them says."""

    float64: Measurement
    float32: Measurement
    verdict: Verdict


@dataclass(frozen=True)
class Confirmation:
    """What `confirm` measured; `model` is the end of the folder's path, not the place of it on this
    machine.

    Token j of the second sentence is compared with token `matching[j]` of the first, equal tokens
    in the order in which they come. With positions this is a choice; without, equal tokens have
    equal rows and every choice gives the same.
    """

    model: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    matching: tuple[int, ...]
    with_positions: Comparison
    without_positions: Comparison

    @property
    def confirmed(self) -> bool:
        """True when the encoder sees the order through its position table, and only through it."""
        return (
            self.with_positions.verdict == "sees order"
            and self.without_positions.verdict == "order blind"
        )

    def to_json(self) -> dict[str, Any]:
        """The measurements as JSON values; a number that is not finite becomes null."""
        return {**_jsonable(asdict(self)), "confirmed": self.confirmed}


def confirm(folder: Path) -> Confirmation:
    """Put both sentences through the checkpoint's encoder, with its position table and without.

    Errors: CheckpointError, one line, when the checkpoint cannot be read, or when its tokenizer
    does not make the second sentence a reordering of the first.
    """
    checkpoint = load_checkpoint(folder)
    (first, first_tokens), (second, second_tokens) = map(checkpoint.tokenize, (FIRST, SECOND))
    matching = match_tokens(first, second)
    if matching is None or first == second:
        raise CheckpointError(
            f"checkpoint {folder}: given the tokens {' '.join(first_tokens)} and "
            f"{' '.join(second_tokens)}, expected the same ones in another order"
        )

    def compare(positions: bool) -> Comparison:
        wide, narrow = (
            measure(Encoder(checkpoint, dtype, positions=positions), first, second, matching)
            for dtype in (np.float64, np.float32)
        )
        return Comparison(wide, narrow, judge(wide.largest, narrow.largest))

    return Confirmation(
        "/".join(folder.parts[-2:]), first_tokens, second_tokens, matching, compare(True),
        compare(False),
    )  # fmt: skip


def match_tokens(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...] | None:
    """For each token of `second` its index in `first`, equal tokens in order; None if no bijection.

    So second[j] = first[matching[j]], and each index of `first` is used once.
    """
    if sorted(first) != sorted(second):
        return None
    places: dict[int, list[int]] = {}
    for i, token in enumerate(first):
        places.setdefault(token, []).append(i)
    return tuple(places[token].pop(0) for token in second)


def measure(
    encode: Encode, first: Sequence[int], second: Sequence[int], matching: Sequence[int]
) -> Measurement:
    """Encode both sentences and compare them token by token, and pooled.

    The differences are taken in the dtype of the encoder, the cosine in float64.
    """
    with np.errstate(all="ignore"):  # NaN and overflow show in the verdict, not as a warning
        a, b = encode(first), encode(second)
        per_token = np.max(np.abs(b - a[list(matching)]), axis=-1)
        p, q = (np.mean(h.astype(np.float64), axis=0) for h in (a, b))
        cosine = np.dot(p, q) / np.sqrt(np.dot(p, p) * np.dot(q, q))
    # np.max and not max(): the built-in one passes over NaN.
    return Measurement(float(np.max(per_token)), tuple(per_token.tolist()), float(cosine))


def judge(float64: float, float32: float) -> Verdict:
    """Tell an effect of order from one of rounding by what becomes of it in the wider dtype.

    `float64` and `float32` are one difference measured in both. It is "order blind" when it
    shrinks as rounding does (0 in float64 included), "sees order" when it is not 0 and stays
    within a factor of 2, and "unclear" otherwise, which NaN and infinity are. No tolerance is
    chosen, but there is a resolution: an effect of order under 2^-14.5 of the float32 rounding
    is not told from none.
    """
    if not (0.0 <= float64 < math.inf and 0.0 <= float32 < math.inf):
        return "unclear"
    if float64 <= float32 * _MIDDLE:
        return "order blind"
    if float32 <= 2.0 * float64 and float64 <= 2.0 * float32:
        return "sees order"
    return "unclear"


def _jsonable(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _jsonable(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_jsonable(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
