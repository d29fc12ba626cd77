"""Tensors of a file as arrays: the dimensions are compared with the bytes that are there first."""

from __future__ import annotations

import hashlib
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from orderproof import input_file
from orderproof.symbolic.onnx.graph import Array, ModelError
from orderproof.symbolic.onnx.order import messages

MAX_ENTRIES = 1 << 28  # of a tensor that the file describes without holding its entries
_MAX_RANK = 32
_PER_BYTE = 4  # entries of the smallest types


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
        dims, dtype = _dims(tensor.dims, what), dtype_of(tensor.data_type, what)
        external = tensor.data_location == TensorProto.EXTERNAL
        packed = dtype.kind == "V" and dtype.itemsize == 1  # it may be: several entries in a byte
        if tensor.HasField("segment") or (external and dtype.kind == "O"):
            raise ModelError(f"{what} holds segments, or text in external data: not read")
        data = None
        if external:
            data = self._bytes(tensor, what)
        elif tensor.HasField("raw_data") and dtype.kind != "O":
            data = np.frombuffer(tensor.raw_data, np.uint8)
        entries = getattr(tensor, helper.tensor_dtype_to_field(tensor.data_type))
        held = len(entries if data is None else data)
        shown = f"{list(dims)}, and holds {held} {'numbers' if data is None else 'bytes'}"
        if math.prod(dims) > held * _PER_BYTE:  # `onnx` may make what is not there
            raise ModelError(f"{what} has the shape {shown}")
        if packed and data is not None:
            tensor = TensorProto(data_type=tensor.data_type, dims=dims, raw_data=data.tobytes())
        try:
            if packed or data is None:
                values = np.asarray(numpy_helper.to_array(tensor))
            else:
                values = np.frombuffer(data, dtype).reshape(dims)  # mapped, not copied
            if packed:  # older versions of `onnx` fill up with zeros
                expected = len(numpy_helper.from_array(values).raw_data)
                if held != expected:
                    raise ValueError(f"{expected} expected")
        except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
            raise ModelError(f"{what} has the shape {shown}: {error}") from None
        # A byte that is neither 0 nor 1 would be neither true nor false.
        return np.asarray(values.view(np.uint8) != 0) if dtype == np.bool_ else values

    def _bytes(self, tensor: onnx.TensorProto, what: str) -> Array:
        """The bytes of external data: of a file in the model's folder, all of them there."""
        entries = {e.key: e.value for e in tensor.external_data}
        location = entries.get("location", "")
        called = f"the external data of {what}"
        path = inside(self.folder, location, called)
        whole = self._file(path, f"{called} in {location[:100]!r}")
        try:
            start = int(entries.get("offset", 0))
            stop = start + int(entries["length"]) if "length" in entries else len(whole)
        except ValueError as error:
            raise ModelError(f"{called} cannot be read: {error}") from None
        if not 0 <= start <= stop <= len(whole):
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


def _dims(dims: Any, what: str) -> tuple[int, ...]:
    if len(dims) > _MAX_RANK or any(d < 0 for d in dims):
        raise ModelError(f"{what} has the shape {list(dims[:40])}")
    return tuple(dims)


def without_nan(values: Array, what: str) -> Array:
    """The array, where none of its numbers is NaN."""
    nan = False
    if values.dtype.kind == "f" and values.size:
        nan = bool(np.isnan(np.min(values)))  # min hands NaN on, and needs no array of booleans
    elif values.dtype.kind in "cV":  # V: the small floats of ml_dtypes
        with suppress(TypeError):  # small integers
            nan = bool(np.any(np.isnan(values)))
    if nan:
        raise ModelError(f"{what} holds NaN where numbers were expected")
    return values


# ------------------------------------------------------------- the files that hold external data
def inside(folder: Path, location: str, what: str) -> Path:
    """The file at `location`, links followed, where it is in `folder`, itself without links."""
    try:
        path = (folder / location).resolve()
        found = bool(location) and not os.path.isabs(location) and path.is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # a loop of links, a null character
        found = False
    if not found or "\\" in location:
        raise ModelError(
            f"{what}: given {location[:100]!r}, expected a relative path in the model's folder"
        )
    return path


def digests(model: onnx.ModelProto, folder: Path) -> tuple[tuple[str, str], ...]:
    """The name of each, from the folder of the model's file, and its SHA-256, sorted. ModelError,
    in one line, where one cannot be read, or does not lie in that folder without links."""
    root = folder.resolve()
    external = (
        entry
        for tensor in messages(model)
        if isinstance(tensor, TensorProto) and tensor.data_location == TensorProto.EXTERNAL
        for entry in tensor.external_data
    )
    names = {entry.value for entry in external if entry.key == "location"}
    return tuple((name, _digest(root, name)) for name in sorted(names))


def _digest(root: Path, name: str) -> str:
    called = f"external data {name[:80]!r}"
    if inside(root, name, called) != root / name:
        raise ModelError(f"{called}: given a path with links, expected a file beside the model")
    with input_file.opened(
        root / name, input_file.LARGEST_DATA, "a file", ModelError, called
    ) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
