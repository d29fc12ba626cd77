"""Recheck the counterexample in a file of any format. Standard library alone."""

from __future__ import annotations

import os

from . import group_file, group_replay, plan_file, plan_replay, replay, scheme_file
from .fields import read_bytes


def replay_file(
    path: str | os.PathLike[str],
) -> replay.PositionReplay | group_replay.GroupReplay | plan_replay.PlanReplay:
    """Recheck a counterexample; WitnessError where the file holds none."""
    data, name = read_bytes(path)
    if group_file.is_group_file(data):
        return group_replay.check(group_file.parse(data, name))
    if plan_file.is_plan_file(data):
        return plan_replay.check(plan_file.parse(data, name))
    return replay.check(scheme_file.parse(data, name))
