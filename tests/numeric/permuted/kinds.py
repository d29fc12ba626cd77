"""Arrays that are not NumPy's, as other libraries have them, for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tensor:
    """Like torch's: it refuses `__array__` until it is detached, and has no array namespace."""

    def __init__(self, values: Any, attached: bool = True) -> None:
        self.values = np.asarray(values)
        self.attached = attached

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def dtype(self) -> str:
        return f"kinds.{self.values.dtype}"

    def detach(self) -> Tensor:
        return Tensor(self.values, attached=False)

    def __array__(self, dtype: Any = None) -> Any:
        if self.attached:
            raise RuntimeError("call detach() first")
        return self.values

    def __getitem__(self, index: Any) -> Tensor:
        return Tensor(self.values[index])

    def __add__(self, other: Any) -> Tensor:
        return Tensor(self.values + np.asarray(other, dtype=self.values.dtype))

    def mean(self) -> Tensor:
        return Tensor(self.values.mean(0))


class Capsule:
    """Like a strict array of the array API: DLPack, an array namespace, no index by an array."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __dlpack__(self, **how: Any) -> Any:
        return self.values.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()

    def __array_namespace__(self) -> Any:
        return Namespace

    def __getitem__(self, index: Any) -> Capsule:
        raise TypeError("no index by an array")

    def mean(self) -> Capsule:
        return Capsule(self.values.mean(0))


class Namespace:
    """The array namespace of Capsule."""

    @staticmethod
    def asarray(values: Any, dtype: Any) -> Capsule:
        return Capsule(np.array(values, dtype=dtype))
