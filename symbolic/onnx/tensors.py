"""TensorProto to arrays: every size is compared with the bytes there are before memory is asked."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from orderproof import input_file
from orderproof.symbolic.onnx.graph import Array, ModelError

MAX_ENTRIES = 1 << 28  # of a tensor that the file describes without holding its entries
_MAX_RANK = 32

# The typed field that holds the entries of a type where raw_data does not, and how many it has for
# one entry; types that pack several entries into one number are left to `onnx`.
_FIELDS: dict[int, tuple[str, int]] = {
    TensorProto.FLOAT: ("float_data", 1),
    TensorProto.COMPLEX64: ("float_data", 2),
    TensorProto.DOUBLE: ("double_data", 1),
    TensorProto.COMPLEX128: ("double_data", 2),
    TensorProto.INT64: ("int64_data", 1),
    TensorProto.UINT32: ("uint64_data", 1),
    TensorProto.UINT64: ("uint64_data", 1),
    TensorProto.STRING: ("string_data", 1),
    TensorProto.INT32: ("int32_data", 1),
    TensorProto.INT16: ("int32_data", 1),
    TensorProto.INT8: ("int32_data", 1),
    TensorProto.UINT16: ("int32_data", 1),
    TensorProto.UINT8: ("int32_data", 1),
    TensorProto.BOOL: ("int32_data", 1),
    TensorProto.FLOAT16: ("int32_data", 1),
    TensorProto.BFLOAT16: ("int32_data", 1),
}


def text(value: str | bytes, what: str) -> str:
    """A name of the file: protobuf hands out bytes where it is not UTF-8."""
    if isinstance(value, bytes):
        raise ModelError(f"{what} is {value[:40]!r}, which is not text in UTF-8")
    return value


def dtype_of(data_type: int, what: str) -> np.dtype[Any]:
    """The NumPy type of an element type of ONNX."""
    try:
        return np.dtype(helper.tensor_dtype_to_np_dtype(data_type))
    except (KeyError, TypeError, ValueError):
        raise ModelError(
            f"{what} has the element type {data_type}, which ONNX does not have"
        ) from None


class Store:
    """The folder of a model, with the files of external data mapped into memory as they are met."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._files: dict[Path, Array] = {}
        self._copied: dict[Path, int] = {}

    def array(self, tensor: onnx.TensorProto, what: str) -> Array:
        """The entries of a tensor. What it claims to hold has to be there."""
        dims = tuple(tensor.dims)
        if len(dims) > _MAX_RANK or any(d < 0 for d in dims):
            raise ModelError(f"{what} has the shape {list(dims)[:40]}")
        dtype, n = dtype_of(tensor.data_type, what), math.prod(dims)
        if tensor.HasField("segment"):
            raise ModelError(f"{what} is stored in segments, which no tool writes")
        external = tensor.data_location == TensorProto.EXTERNAL
        if tensor.data_type not in _FIELDS:
            values = _packed(tensor, self._bytes(tensor, what) if external else None, n, what)
        elif external:
            values = self._mapped(tensor, dtype, n, what)
        elif tensor.HasField("raw_data") and dtype.kind != "O":
            values = _entries(np.frombuffer(tensor.raw_data, np.uint8), dtype, n, dims, what)
        else:
            field, each = _FIELDS[tensor.data_type]
            count = len(getattr(tensor, field))
            if count != n * each:
                raise ModelError(_misfit(what, dims, n * each, count, "numbers"))
            values = _by_onnx(tensor, what)
        try:
            values = values.reshape(dims)
        except ValueError:
            raise ModelError(f"{what} has the shape {list(dims)}") from None
        return values

    def sparse(self, tensor: onnx.SparseTensorProto, what: str) -> Array:
        """A sparse tensor, made dense."""
        dims, total = tuple(tensor.dims), math.prod(tensor.dims)
        if len(dims) > _MAX_RANK or any(d < 0 for d in dims) or total > MAX_ENTRIES:
            raise ModelError(
                f"{what} is sparse with the shape {list(dims)[:40]}: "
                f"at most {MAX_ENTRIES:,} entries are made dense"
            )
        values = self.array(tensor.values, f"the values of {what}")
        indices = self.array(tensor.indices, f"the indices of {what}")
        if indices.ndim == 2 and indices.shape[1] == len(dims):
            inside = bool(np.all((indices >= 0) & (indices < np.array(dims))))
            flat = np.ravel_multi_index(tuple(indices.T), dims) if inside and total else indices[:0]
        else:
            flat = indices
        if (
            values.ndim != 1
            or indices.dtype != np.int64
            or flat.shape != values.shape
            or not bool(np.all((flat >= 0) & (flat < total)))
        ):
            raise ModelError(f"{what} is sparse, and its indices do not fit {list(dims)}")
        dense = np.zeros(total, values.dtype)
        dense[flat] = values
        return dense.reshape(dims)

    def _mapped(self, tensor: onnx.TensorProto, dtype: np.dtype[Any], n: int, what: str) -> Array:
        if dtype.kind == "O":
            raise ModelError(f"{what} holds text in external data")
        data = self._bytes(tensor, what)
        return _entries(data, dtype, n, tuple(tensor.dims), what)

    def _bytes(self, tensor: onnx.TensorProto, what: str) -> Array:
        """The bytes of external data: of a file in the model's folder, all of them there."""
        entries = {text(e.key, what): text(e.value, what) for e in tensor.external_data}
        location = entries.get("location", "")
        path = _inside(self.folder, location, what)
        offset, length = (_count(entries.get(key), key, what) for key in ("offset", "length"))
        whole = self._file(path, f"{what} has its external data in {location[:100]!r}")
        start = offset or 0
        stop = len(whole) if length is None else start + length
        if start > len(whole) or stop > len(whole):
            raise ModelError(
                f"{what} is bytes {start} to {stop} of {location}, which has {len(whole)}"
            )
        data = whole[start:stop]
        if start % 16:  # arrays are aligned: a copy, of each byte of the file once
            self._copied[path] = self._copied.get(path, 0) + len(data)
            if self._copied[path] > len(whole):
                raise ModelError(f"{what} overlaps other tensors in {location}")
            data = data.copy()
        return data

    def _file(self, path: Path, called: str) -> Array:
        if path not in self._files:
            with input_file.opened(
                path, input_file.LARGEST_DATA, "a file", ModelError, called
            ) as file:
                if os.fstat(file.fileno()).st_size == 0:
                    self._files[path] = np.zeros(0, np.uint8)
                else:
                    self._files[path] = np.memmap(file, np.uint8, "r").view(np.ndarray)
        return self._files[path]


def _inside(folder: Path, location: str, what: str) -> Path:
    """The file at `location`, links followed, where it lies in `folder`."""
    if not location or "\0" in location or os.path.isabs(location) or "\\" in location:
        raise ModelError(f"{what} has its external data at {location!r}: a relative path expected")
    try:
        path = (folder / location).resolve()
    except (OSError, RuntimeError, ValueError):
        raise ModelError(f"{what} has its external data at {location[:100]!r}") from None
    if not path.is_relative_to(folder):
        raise ModelError(
            f"{what} has its external data at {location!r}, which is outside the model's folder"
        )
    return path


def _count(value: str | None, key: str, what: str) -> int | None:
    if value is None:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise ModelError(f"{what} has external data with the {key} {value[:40]!r}")
    return int(value)


def _entries(data: Array, dtype: np.dtype[Any], n: int, dims: tuple[int, ...], what: str) -> Array:
    if len(data) != n * dtype.itemsize:
        raise ModelError(_misfit(what, dims, n * dtype.itemsize, len(data), "bytes"))
    if dtype == np.bool_:  # a byte that is neither 0 nor 1 would be neither true nor false
        return np.asarray(data != 0)
    return data.view(dtype)


def _packed(tensor: onnx.TensorProto, data: Array | None, n: int, what: str) -> Array:
    """Types of less than a byte, or with a meaning of their bits that `onnx` knows."""
    held = tensor.ByteSize() if data is None else len(data)
    if n > 4 * held:
        raise ModelError(_misfit(what, tuple(tensor.dims), n, held, "bytes"))
    if data is not None:
        inner = onnx.TensorProto(
            name=tensor.name, data_type=tensor.data_type, dims=tensor.dims, raw_data=data.tobytes()
        )
        return _by_onnx(inner, what)
    return _by_onnx(tensor, what)


def _by_onnx(tensor: onnx.TensorProto, what: str) -> Array:
    try:
        return np.asarray(numpy_helper.to_array(tensor))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise ModelError(f"{what} cannot be read: {error}") from None


def without_nan(values: Array, what: str) -> Array:
    """The array, where none of its numbers is NaN."""
    if values.dtype.kind == "f" and values.size:
        nan = bool(np.isnan(np.min(values)))  # min hands NaN on, and needs no array of booleans
    elif values.dtype.kind in "cV" and values.size:  # V: the small floats of ml_dtypes
        nan = _any_nan(values)
    else:
        nan = False
    if nan:
        raise ModelError(f"{what} holds NaN where numbers were expected")
    return values


def _any_nan(values: Array) -> bool:
    try:
        return bool(np.any(np.isnan(values)))
    except TypeError:  # small integers
        return False


def _misfit(what: str, dims: tuple[int, ...], expected: int, given: int, unit: str) -> str:
    return f"{what} has the shape {list(dims)}, of {expected} {unit}, and holds {given}"
