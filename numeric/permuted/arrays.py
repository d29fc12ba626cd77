"""Arrays of whatever library a caller uses: read as NumPy, permuted, and made again of their kind.

No library is imported: an array is read through `__array__` or DLPack, and made through its array
namespace, or by what its library has put into `sys.modules`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# The relative rounding unit of each type of number, by its name in every library.
UNITS = {
    "float64": 2.0**-53,
    "float32": 2.0**-24,
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8,
    "complex128": 2.0**-53,
    "complex64": 2.0**-24,
}


def is_array(value: Any) -> bool:
    """Whether a value is an array of some library, or a NumPy scalar."""
    return hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def type_name(value: Any) -> str:
    """The type of the numbers of an array, as "float32" in every library."""
    given = value.dtype if hasattr(value, "dtype") else as_numpy(value).dtype
    return str(given).rpartition(".")[2]


def unit_of(value: Any) -> float:
    """The relative rounding unit of an array's numbers; 0.0 where they are whole or truth values.

    Errors: ValueError for any other type of number.
    """
    name = type_name(value)
    if name == "bool" or name.lstrip("u").startswith("int"):
        return 0.0
    if name not in UNITS:
        raise ValueError(f"given numbers of {name}, expected integers or one of {', '.join(UNITS)}")
    return UNITS[name]


def as_numpy(value: Any) -> Array:
    """A copy in NumPy: float64 for real numbers, complex128 for complex ones, else as it is.

    Errors: ValueError for what is not an array of numbers.
    """
    found = _read(value)
    if found.dtype.kind in "biu":
        return found
    if found.dtype.kind == "c":
        return found.astype(np.complex128)
    if found.dtype.kind == "f" or str(found.dtype) in UNITS:  # NumPy does not know bfloat16
        return found.astype(np.float64)
    raise ValueError(f"given {type(value).__name__} of {found.dtype}, expected an array of numbers")


def _read(value: Any) -> Array:
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "cpu"):
        value = value.cpu()
    # The last: bfloat16 has no form in NumPy, and float32 holds it exactly. Not np.array, whose
    # keyword `copy` torch's `__array__` does not know.
    ways = (np.asarray, np.from_dlpack, lambda v: np.asarray(v.float()))
    for way in ways:
        try:
            found: Array = way(value).copy()
        except (TypeError, ValueError, RuntimeError, BufferError, AttributeError):
            continue
        if found.dtype != object:
            return found
    raise ValueError(f"given {type(value).__name__}, expected an array, by __array__ or DLPack")


def like(x: Any, values: Array) -> Any:
    """An array with these values, of the kind, type of number and device of x.

    Errors: ValueError where x is of a kind that cannot be made from NumPy.
    """
    if isinstance(x, (np.ndarray, np.generic)):
        return values.astype(x.dtype)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return torch.as_tensor(values, device=x.device).to(x.dtype)
    try:
        if hasattr(x, "__array_namespace__"):
            return x.__array_namespace__().asarray(values, dtype=x.dtype)
        return type(x)(values.astype(type_name(x)))
    except (TypeError, ValueError) as error:
        kind = type(x).__name__
        raise ValueError(f"given x of {kind}, expected a kind that NumPy arrays convert to") from (
            error
        )


def taken(x: Any, order: Sequence[int] | Array, axis: int) -> Any:
    """The slices of x along an axis in this order, some or all of them: a new array of x's kind."""
    axis %= len(x.shape)
    places = np.asarray(order, dtype=np.int64)
    try:
        found = x[(slice(None),) * axis + (places,)]
    except (TypeError, AttributeError):  # a kind without such an index
        found = None
    return found if is_array(found) else like(x, np.take(as_numpy(x), places, axis))
