"""`python -m tests.models.make [NAME...]`: write the models (all, or those named) and bank.json."""

from __future__ import annotations

import importlib
import sys

from tests.models.make.export import make
from tests.models.truth import HERE, BankError, read_bank, settle, text_of

SOURCES = ("encoders", "positions", "sets", "sequences", "graphs", "by_hand")


def main(wanted: list[str]) -> int:
    """Every file in turn; what is not as declared is named at the end, and leaves status 1."""
    bank = {m["file"]: m for m in read_bank()} if wanted and (HERE / "bank.json").exists() else {}
    problems = []
    for source in SOURCES:
        for model in importlib.import_module(f"tests.models.make.{source}").models():
            if wanted and not {model.name, source} & set(wanted):
                continue
            try:
                record = make(model, source)
                for question, truth in zip(record["questions"], settle(record), strict=True):
                    question["truth"] = truth
                bank[record["file"]] = record
                print(model.name, (HERE / record["file"]).stat().st_size, flush=True)
            except BankError as problem:
                problems.append(str(problem))
            except Exception as problem:
                problems.append(f"{model.name}: {type(problem).__name__}: {str(problem)[-600:]}")
    (HERE / "bank.json").write_text(text_of(list(bank.values())))
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
