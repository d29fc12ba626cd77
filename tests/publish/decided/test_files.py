"""What `decide --out` writes: whole files, named by the report, that others can recheck."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.prove.results import OutputError
from orderproof.commands import decide_text
from orderproof.publish.decided import derivation, files
from orderproof.symbolic.onnx.report import Report, Result
from tests.publish.decided.models import decided, evil, other


def written(report: Any, out: Path) -> dict[str, Any]:
    """The report as a file has it, when every file that it names is there."""
    named_too = files.write(report, out)
    data: dict[str, Any] = json.loads((out / "report.json").read_text(encoding="utf-8"))
    named = {e["file"] for r in data["results"] for e in r["evidence"] if e["file"]}
    there = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()}
    assert named <= there
    assert there - named == {"report.json"} and data == named_too.to_json()
    return data


def evidence(data: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    """Of the first result, what is no mark of the kernel."""
    pieces = data["results"][0]["evidence"]
    return [(e["kind"], e["file"], e["detail"]) for e in pieces if e["kind"] != "kernel"]


def test_the_files_of_a_proved_model(tmp_path: Path) -> None:
    """The report would name files that are not there, or not name one that is."""
    name = "encoder_post_norm-x-1-y"
    _, *found = evidence(written(decided("encoder_post_norm"), tmp_path))
    assert found == [
        ("rocq", "rocq/encoder_post_norm_x_1_y.v", ""),
        ("derivation", f"derivations/{name}.txt", ""),
        ("derivation", f"derivations/{name}.tex", ""),
    ]
    text = (tmp_path / "derivations" / f"{name}.txt").read_text(encoding="utf-8")
    assert "\nproved: y′" in text and " by definition\n" in text
    certificate = (tmp_path / "rocq/encoder_post_norm_x_1_y.v").read_text(encoding="utf-8")
    assert "Theorem decided_encoder_post_norm_x_1_y " in certificate


def test_the_files_of_a_refuted_model(tmp_path: Path) -> None:
    """A certificate beside a refutation would seem to contradict it; or one counterexample be
    written over another; or two runs write other bytes, so that none can tell what changed."""
    report = decided("decoder_causal")
    found = evidence(written(report, tmp_path / "a"))
    assert ("rocq", "rocq/decoder_causal_x_1_y.v",
            "under hypotheses on: /attention/Cast_output_0") in found  # fmt: skip
    assert len({file for kind, file, _ in found if kind == "enclosed"}) == len(
        report.results[0].witnesses
    )
    written(report, tmp_path / "b")
    for path in (tmp_path / "a").rglob("*.*"):
        again = tmp_path / "b" / path.relative_to(tmp_path / "a")
        assert again.read_bytes() == path.read_bytes()


# ------------------------------------------------------------------------------ names of files
NAMES = (
    "x", "..", "/", "", "../../etc/passwd", "a:b", "x" * 5000, "重み", "é", "con\0", "a b",
    ".hidden", "-rf", "A", "a", "x\n", "\u202egnp.exe", r"\write18{ls}", "$(ls)", "~", "CON",
)  # fmt: skip


def named(folder: files.Folder, name: str, axis: int = 1, output: str = "y") -> str:
    """The name of a file of Rocq about an input of this name."""
    return folder.name(Result(name, axis, (), output, 1), "v", apart="_")


def test_names_of_files_stay_in_their_folder_and_differ() -> None:
    """A name of a tensor would be a path: files would be written elsewhere, or hidden. Or one would
    be written over another, where names differ in what a file name loses, or in case alone."""
    folder = files.Folder(Report("", "m.onnx", ()), Path())
    found = [named(folder, name) for name in (*NAMES, *NAMES)]
    found += [named(folder, "a", 1, "0_y"), named(folder, "a_1", 0, "y")]
    assert len({f.lower() for f in found}) == len(found)
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.v", f) and len(f) < 120 for f in found)


def test_a_name_of_the_model_is_no_path(tmp_path: Path) -> None:
    """Names that are paths or markup would write outside of the folder."""
    report, out = evil(tmp_path), tmp_path / "out"
    before = set(tmp_path.rglob("*"))
    written(report, out)
    assert {p for p in tmp_path.rglob("*") if out not in (p, *p.parents)} == before


# ------------------------------------------------------------------------- what is not written
def test_a_name_that_cannot_be_set_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One name would take all other files with it, or a file be missing without a word."""
    monkeypatch.setattr(derivation, "cut", lambda *_: "a_{%}")
    *_, (_, text, _), (_, latex, why) = evidence(written(decided("encoder_post_norm"), tmp_path))
    assert text is not None and text.endswith(".txt")
    assert latex is None and why.startswith("LaTeX not written: ")


def test_what_shows_nothing_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name could turn the direction of a line, or a terminal obey it."""
    monkeypatch.setattr(files.theorem_text, "plain", lambda _: "a\u202eb\nc\0")
    written(decided("encoder_post_norm"), tmp_path)
    (path,) = (tmp_path / "derivations").glob("*.txt")
    assert path.read_text(encoding="utf-8") == "a\\u202eb\nc\\x00\n"


def test_why_there_is_no_derivation_is_said(tmp_path: Path) -> None:
    """A person would look in vain for the proof of an output in which the input is not."""
    (result,) = files.write(decided("constant_rows"), tmp_path).results
    (found,) = [e for e in result.evidence if e.kind == "derivation"]
    why = "no derivation, no certificate: x is not in the term of the output"
    assert (found.file, found.detail) == (None, why)
    assert f"    {why}" in decide_text.lines(result)


def test_a_witness_that_is_too_large_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file would be written that `replay` refuses, or the report would name a file in vain."""
    from orderproof.symbolic.witness import fields

    report = decided("decoder_causal")
    witness = report.results[0].witness
    name, tensor = next(iter(witness.inputs.items()))
    large = replace(witness, inputs={name: replace(tensor, entries=tensor.entries * 2_000)})
    monkeypatch.setattr(fields, "MAX_BYTES", 100_000)
    found = evidence(written(other(report, witnesses=(large,)), tmp_path))
    ((file, why),) = [(file, why) for kind, file, why in found if kind == "enclosed"]
    assert file is None and why.startswith("not written: given more than")


# ------------------------------------------------------------------------- what is there before
def test_the_files_of_an_earlier_run_are_gone(tmp_path: Path) -> None:
    """A counterexample about another model would count as evidence for this one."""
    written(decided("decoder_causal"), tmp_path)
    assert list((tmp_path / "witnesses").iterdir())
    written(decided("encoder_post_norm"), tmp_path)
    assert not list((tmp_path / "witnesses").iterdir())


def test_nothing_else_is_removed(tmp_path: Path) -> None:
    """A person's own files would be lost, or files outside the folder."""
    out = tmp_path / "out"
    kept = [tmp_path / name for name in (
        "out/witnesses/own.json", "out/notes.txt", "out/derivations/deeper/own.tex",
        "other/a.json", "b.v",
    )]  # fmt: skip
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("own")
    (out / "rocq").symlink_to(tmp_path / "other")
    link = out / "witnesses" / "link.json"
    link.symlink_to(tmp_path / "other" / "a.json")
    names = ["../b.v", "rocq/a.json", "notes.txt", "derivations/deeper/own.tex", "witnesses/..",
             "witnesses/", "witnesses/link.json", str(tmp_path / "b.v"), "witnesses", "", 7,
             None]  # fmt: skip
    data = {"results": [{"evidence": [{"file": name} for name in names]}]}
    (out / "report.json").write_text(json.dumps(data))
    files.write(decided("encoder_post_norm"), out)
    assert all(path.is_file() for path in kept) and link.is_symlink()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"results": 3}', '{"results": [{}]}', "[" * 5000])
def test_an_earlier_report_may_be_anything(tmp_path: Path, text: str) -> None:
    """What another program wrote would end in a traceback."""
    (tmp_path / "report.json").write_text(text)
    written(decided("encoder_post_norm"), tmp_path)


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A person would see a traceback, or wait for ever."""
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "report.json")
    for out, why in ((tmp_path / "file", "expected one to write"), (tmp_path, "no regular file")):
        with pytest.raises(OutputError, match=why):
            files.write(decided("encoder_post_norm"), out)
