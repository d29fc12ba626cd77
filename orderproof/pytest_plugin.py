"""A plugin of pytest: assert that a model does not see the order of its tokens, and that rows of
its output do not depend on those that they must not depend on.

Of the order, functions on arrays are measured, which is an estimate; ONNX files and torch modules
are decided, which is a proof. pytest loads this module in every run of every user: it imports
neither NumPy nor anything that does, until an assertion is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from numbers import Integral, Real
from typing import Any

import pytest

MARKER = "orderproof"
MEASURED = ("seed", "permutations", "factor", "unit")
PROVED = ("timeout", "fallback")
UNSEEN = ("output_axis", "output", "along", "n", "seed", "factor", "unit", "timeout")
WHOLE = ("seed", "permutations")
REAL = ("factor", "unit", "timeout")
OPTIONS = ", ".join(f"{name}=" for name in (*MEASURED, *PROVED))
DESCRIPTION = (
    f"{MARKER}({OPTIONS.replace('=', '=...')}): defaults of orderproof's assertions in this test"
)
_defaults: list[dict[str, Any]] = [{}]  # of the tests that run: one within another under pytester


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, for --strict-markers and --markers."""
    config.addinivalue_line("markers", DESCRIPTION)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse options that no assertion has, before any test runs."""
    for item in items:
        for mark in item.iter_markers(MARKER):
            unknown = [*map(repr, mark.args), *(set(mark.kwargs) - {*MEASURED, *PROVED})]
            if unknown:
                raise pytest.UsageError(
                    f"{item.nodeid}: given pytest.mark.{MARKER} with {', '.join(unknown)}, "
                    f"expected some of {OPTIONS}"
                )


@pytest.hookimpl(hookwrapper=True)  # the form that pytest before version 8 knows as well
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, None]:
    """While a test runs, its marker's options are the defaults of its assertions."""
    marks = reversed([*item.iter_markers(MARKER)])  # the closest last, which overrides
    _defaults.append({name: value for mark in marks for name, value in mark.kwargs.items()})
    try:
        yield
    finally:
        _defaults.pop()


@pytest.fixture(name="assert_permutation_equivariant")
def _equivariant() -> Callable[..., Any]:
    """The assertion that model(P x) = P model(x) for every permutation P of the tokens."""
    return assert_permutation_equivariant


@pytest.fixture(name="assert_permutation_invariant")
def _invariant() -> Callable[..., Any]:
    """The assertion that model(P x) = model(x) for every permutation P of the tokens."""
    return assert_permutation_invariant


@pytest.fixture(name="assert_causal")
def _causal() -> Callable[..., Any]:
    """The assertion that no token depends on later ones."""
    return assert_causal


@pytest.fixture(name="assert_batch_independent")
def _batch_independent() -> Callable[..., Any]:
    """The assertion that no request of a batch depends on the others."""
    return assert_batch_independent


@pytest.fixture(name="assert_padding_ignored")
def _padding_ignored() -> Callable[..., Any]:
    """The assertion that no real token depends on those that a mask hides."""
    return assert_padding_ignored


def assert_permutation_equivariant(
    model: Any,
    x: Any = None,
    *,
    axis: Any,
    output_axis: int | Sequence[int] | None = None,
    output: Any = None,
    along: Sequence[str] = (),
    n: int | None = None,
    scope: str = "all n",
    conditions: Sequence[str] = (),
    **options: Any,
) -> Any:
    """Assert that model(P x) = P model(x): the tokens lie along `axis` of x, and along
    `output_axis` of the output, the same one unless it is given; several move together.

    A function is *measured* at x, an array of any library, or a tuple of arguments; `axis` is then
    pairs (argument, axis) that move together. Options: `seed`, `permutations` (random ones, beside
    two generators), `factor` (of the function's sensitivity to rounding, which bounds the error),
    `unit` (the rounding unit, where the arrays' types do not show it). The result says what was
    measured.

    The path of an ONNX file (`axis`: "INPUT:K", with what moves along in `along`) or a torch module
    (x as for a function; it is exported) is *proved*, for all inputs and the sizes of `scope`: "all
    n", or a smaller one, as "n <= 64", and under `conditions`, none unless they are given. `n` is
    the size to decide at where all sizes cannot be decided. Options: `timeout` in seconds, and
    fallback="measure" for where no proof is found.

    `output` names one of several outputs: a place, a key of a mapping, an attribute of an object
    that is no array, or a function that selects it.

    Errors: AssertionError if the model sees the order, or that could not be told; ValueError, in
    one line, for what cannot be asked.
    """
    __tracebackhide__ = True
    asked = {"output": output, "along": along, "n": n, "scope": scope, "conditions": conditions}
    return _assert(model, x, axis, output_axis, False, asked, options)


def assert_permutation_invariant(
    model: Any,
    x: Any = None,
    *,
    axis: Any,
    output: Any = None,
    along: Sequence[str] = (),
    n: int | None = None,
    scope: str = "all n",
    conditions: Sequence[str] = (),
    **options: Any,
) -> Any:
    """Assert that model(P x) = model(x), as assert_permutation_equivariant does otherwise."""
    __tracebackhide__ = True
    asked = {"output": output, "along": along, "n": n, "scope": scope, "conditions": conditions}
    return _assert(model, x, axis, None, True, asked, options)


def assert_causal(model: Any, x: Any = None, *, axis: Any, **options: Any) -> Any:
    """Assert that row i of the output does not depend on rows j > i of the input, nor on how many
    follow.

    A function or a torch module is *measured* at x, in training mode too; x, `axis`, and the
    options `output_axis` and `output` are as for assert_permutation_equivariant, so are `seed`,
    `factor` and `unit`. The result says what was compared: its `shorter` are the sizes to which x
    was cut, none if the model raised errors there. That nothing was seen at this x is no proof.

    The path of an ONNX file (`axis`: "INPUT:K", with what has the same rows in `along`) is searched
    for a counterexample, with `n` rows if n is given, for `timeout` seconds.

    Errors: as for assert_permutation_equivariant.
    """
    __tracebackhide__ = True
    return _assert_unseen("causal", model, x, axis, options)


def assert_batch_independent(model: Any, x: Any = None, *, axis: Any = 0, **options: Any) -> Any:
    """Assert that a request, a row along `axis`, does not depend on the others, nor on how many
    follow; otherwise as assert_causal."""
    __tracebackhide__ = True
    return _assert_unseen("isolated", model, x, axis, options)


def assert_padding_ignored(
    model: Any, x: Any = None, *, axis: Any, mask: Any, masked: float = 0, **options: Any
) -> Any:
    """Assert that real tokens do not depend on those that a mask hides, nor on how many of these
    follow; otherwise as assert_causal.

    `mask` is a pair (argument, axis), or "INPUT:K" of a file, with the value `masked` at hidden
    tokens. An output without an axis of tokens (output_axis=() says so where a size misleads) is
    compared as a whole.
    """
    __tracebackhide__ = True
    return _assert_unseen("padding", model, x, axis, options, mask=mask, masked=masked)


def _refuse_wrong(options: dict[str, Any]) -> None:
    """Refuse numbers that no option can have. Errors: ValueError."""
    for name, value in options.items():
        if name in WHOLE and not (isinstance(value, Integral) and int(value) >= 0):
            raise ValueError(f"given {name}={value!r}, expected a whole number of at least 0")
        real = isinstance(value, Real) and 0 <= float(value) < math.inf
        if name in REAL and not real and (name, value) != ("unit", None):
            raise ValueError(f"given {name}={value!r}, expected a number of at least 0")


def _options(given: dict[str, Any], known: Sequence[str]) -> dict[str, Any]:
    """The known options: those that are given, then those of the marker. Errors: TypeError."""
    unknown = set(given) - {*known}
    if unknown:
        expected = ", ".join(f"{name}=" for name in known)
        raise TypeError(f"given {', '.join(sorted(unknown))}, expected some of {expected}")
    options = {name: value for name, value in _defaults[-1].items() if name in known} | given
    _refuse_wrong(options)
    return options


def _assert_unseen(
    ask: str, model: Any, x: Any, axis: Any, given: dict[str, Any], **asked: Any
) -> Any:
    """Measure, or search in a file, with the options given, then those of the marker."""
    __tracebackhide__ = True
    options = _options(given, UNSEEN)
    from orderproof import pytest_judgements as judgements  # as in _assert

    how = {name: options.pop(name) for name in MEASURED if name in options}
    found, message = judgements.unseen(
        judgements.Question(model, x, axis, ask=ask, **options, **asked), how
    )
    if message is not None:
        raise AssertionError(message)
    return found


def _assert(
    model: Any,
    x: Any,
    axis: Any,
    output_axis: int | Sequence[int] | None,
    invariant: bool,
    asked: dict[str, Any],
    given: dict[str, Any],
) -> Any:
    """Prove or measure, with the options given, then those of the marker."""
    __tracebackhide__ = True
    options = _options(given, (*MEASURED, *PROVED))
    fallback = options.get("fallback")
    if fallback not in (None, "measure"):
        raise ValueError(f"given fallback={fallback!r}, expected 'measure' or none")
    from orderproof import pytest_judgements as judgements  # what needs NumPy, when first needed

    measured = {name: options[name] for name in MEASURED if name in options}
    timeout = options.get("timeout", judgements.TIMEOUT)
    question = judgements.Question(model, x, axis, output_axis, invariant, **asked, timeout=timeout)
    message: str | None
    if not judgements.provable(model):
        found, message = judgements.measured(question, measured)
    else:
        found, message = judgements.proved(question)
        if found is None and fallback:
            found, message = judgements.measured(judgements.runnable(question), measured)
    if message is not None:
        raise AssertionError(message)
    return found
