"""Recheck the counterexample in a file of any format. Standard library alone, but for those about
an ONNX file: what runs it and encloses it is imported only for them."""

from __future__ import annotations

import os
from pathlib import Path

from orderproof import input_file
from orderproof.symbolic.witness import (
    arithmetic,
    group_file,
    group_replay,
    model_file,
    replay,
    scheme_file,
)
from orderproof.symbolic.witness.fields import MAX_BYTES, WitnessError

PLAN = b"orderproof-plan-counterexample"  # of those about a prompt's plan, which was removed


def replay_file(
    path: str | os.PathLike[str], model: str | os.PathLike[str] | None = None
) -> replay.PositionReplay | group_replay.GroupReplay | arithmetic.Outcome[model_file.Recorded]:
    """Recheck a counterexample; WitnessError where the file holds none.

    `model` is the ONNX file that it is about, by default the one of that name beside it.
    """
    data = input_file.read(path, MAX_BYTES, "a counterexample file", WitnessError)
    name = input_file.shown(path)
    if any(form.encode() in data[:200] for form in model_file.FORMS):
        return _model(data, name, Path(path), model)
    if model is not None:
        raise WitnessError(f"{name}: given a model, and a counterexample about none")
    if group_file.is_group_file(data):
        return group_replay.check(group_file.parse(data, name))
    if PLAN in data[:200]:
        raise WitnessError(
            f"{name}: given a counterexample about a prompt's plan, expected one about a scheme, a "
            "group or an ONNX file (plans were removed: symmetry --mask FILE --out DIR)"
        )
    return replay.check(scheme_file.parse(data, name))


def _model(
    data: bytes, name: str, path: Path, model: str | os.PathLike[str] | None
) -> arithmetic.Outcome[model_file.Recorded]:
    witness = model_file.parse(data, name)
    path = path.parent / witness.model if model is None else Path(model)
    try:
        if witness.evidence == model_file.MEASURED:
            from orderproof.symbolic.onnx.measured import check
        else:
            from orderproof.symbolic.onnx.enclose import check
    except ModuleNotFoundError as e:
        raise WitnessError(
            f"{name}: {e.name} is not installed, expected the extra orderproof[onnx]"
        ) from None
    return check(witness, path)
