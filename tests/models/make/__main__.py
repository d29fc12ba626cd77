"""`python -m tests.models.make [NAME...]`: write the models (all, or those named) and bank.json."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

from tests.models.make.export import make
from tests.models.make.spec import Model
from tests.models.truth import HERE, BankError, read_bank, settle, text_of

# Files of this folder; a name may be that of one of them, or of a model.
SOURCES = (
    *("encoders", "positions", "sets", "sequences", "graphs"),
    *("questions", "by_hand", "frameworks"),
)


def defined(problems: list[str]) -> Iterator[tuple[str, Model]]:
    """Every model with its file; a file that needs what is not installed is a problem."""
    for source in SOURCES:
        try:
            found = importlib.import_module(f"tests.models.make.{source}").models()
        except ImportError as missing:
            problems.append(f"{source}: left as it was: {missing}")
            continue
        yield from ((source, model) for model in found)


def main(wanted: list[str]) -> int:
    """Make each; what is not as declared is named at the end, stays as it was, and gives 1."""
    bank = {m["file"]: m for m in read_bank()} if (HERE / "bank.json").exists() else {}
    problems: list[str] = []
    for source, model in defined(problems):
        if wanted and not {model.name, source} & set(wanted):
            continue
        try:
            record = make(model, source)
            for question, truth in zip(record["questions"], settle(record), strict=True):
                question["truth"] = truth
            bank[record["file"]] = record
            print(record["file"], flush=True)
        except BankError as problem:
            problems.append(str(problem))
        except Exception as problem:  # of an exporter: the others are made all the same
            problems.append(f"{model.name}: {type(problem).__name__}: {str(problem)[-600:]}")
    (HERE / "bank.json").write_text(text_of(list(bank.values())))
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
