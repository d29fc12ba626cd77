"""Plain data as JSON and back: pages and cells, so that what comes back equals what was given.

A record is an object that names its class; tuples are lists. No class is looked up but those given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

CLASS = "is"  # the key under which an object names its class
Classes = Mapping[str, type[Any]]


class NotPlain(ValueError):
    """A value that has no form in JSON here, or JSON that is no value: says which."""


def named(*classes: type[Any]) -> dict[str, type[Any]]:
    """Records by the names of their classes."""
    return {c.__name__: c for c in classes}


def encoded(value: Any, classes: Classes) -> Any:
    """JSON of a value, tried: NotPlain where what comes back is not equal to what was given."""
    data = encode(value, classes)
    if decode(data, classes) != value:
        raise NotPlain("given a value that does not come back as it was")
    return data


def encode(value: Any, classes: Classes) -> Any:
    """JSON of None, numbers, text, tuples, lists, mappings, fractions and records of these classes;
    NotPlain for anything else."""
    given: type[Any] = type(value)
    if value is None or given in (bool, int, float, str):
        return value
    if given is tuple:
        return [encode(v, classes) for v in value]
    if given is list:
        return {CLASS: "list", "items": [encode(v, classes) for v in value]}
    if isinstance(value, Fraction):
        return {CLASS: "Fraction", "value": str(value)}
    if isinstance(value, Mapping):
        items = [[encode(k, classes), encode(v, classes)] for k, v in value.items()]
        return {CLASS: "mapping", "items": items}
    if given not in classes.values():
        raise NotPlain(f"given a value of {given.__name__}, expected one of {', '.join(classes)}")
    return {CLASS: given.__name__} | {
        f.name: encode(getattr(value, f.name), classes) for f in fields(value) if f.init
    }


def decode(data: Any, classes: Classes) -> Any:
    """The value whose JSON this is; NotPlain where it is none."""
    if isinstance(data, list):
        return tuple([decode(v, classes) for v in data])
    if not isinstance(data, dict):
        return data
    given = dict(data)
    kind = given.pop(CLASS, None)
    if kind == "list":
        return list(decode(given["items"], classes))
    if kind == "Fraction":
        return Fraction(given["value"])
    if kind == "mapping":
        return {decode(k, classes): decode(v, classes) for k, v in given["items"]}
    if kind not in classes:
        raise NotPlain(f"given an object of {kind!r}, expected one of {', '.join(classes)}")
    return classes[kind](**{name: decode(v, classes) for name, v in given.items()})
