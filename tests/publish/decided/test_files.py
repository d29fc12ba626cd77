"""What `decide --out` writes: whole files, named by the report, that others can recheck."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from orderproof.check.prove.results import OutputError
from orderproof.commands import decide_text
from orderproof.publish.decided import files, names
from tests.models.files import model_file
from tests.publish.decided.models import MODELS, decided, other


def written(report: Any, out: Path) -> dict[str, Any]:
    """The report as a file has it, when every file that it names is there."""
    named_too = files.write(report, out)
    data: dict[str, Any] = json.loads((out / "report.json").read_text(encoding="utf-8"))
    named = {e["file"] for r in data["results"] for e in r["evidence"] if e["file"]}
    there = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()}
    assert named <= there
    assert there - named == {"report.json"} and data == named_too.to_json()
    return data


def test_the_files_of_a_proved_model(encoder: Any, tmp_path: Path) -> None:
    """The report would name files that are not there, or not name one that is."""
    data = written(encoder, tmp_path)
    (result,) = data["results"]
    found = {(e["kind"], e["file"]) for e in result["evidence"]}
    assert ("check", None) in found
    assert ("rocq", "rocq/encoder_post_norm_x_1_y.v") in found
    assert ("derivation", "derivations/encoder_post_norm-x-1-y.tex") in found
    assert ("derivation", "derivations/encoder_post_norm-x-1-y.txt") in found
    assert not (tmp_path / "witnesses").exists()
    derivation = (tmp_path / "derivations/encoder_post_norm-x-1-y.txt").read_text(encoding="utf-8")
    assert "\nproved: y′" in derivation and " by definition\n" in derivation
    assert "Theorem decided_encoder_post_norm_x_1_y " in (
        tmp_path / "rocq/encoder_post_norm_x_1_y.v"
    ).read_text(encoding="utf-8")


def replayed(path: Path, model: Path) -> int:
    """The exit status of `orderproof replay` for a witness."""
    from orderproof.command_line import cli

    ran = CliRunner().invoke(cli, ["replay", str(path), "--model", str(model)])
    return ran.exit_code


def test_a_witness_replays_from_the_model(causal: Any, tmp_path: Path) -> None:
    """The file of a counterexample could not be rechecked by another person; or a changed one
    would still be accepted."""
    data = written(causal, tmp_path)
    found = [e["file"] for e in data["results"][0]["evidence"] if e["kind"] == "enclosed"]
    assert len(set(found)) == len(causal.results[0].witnesses) > 0
    for file in found:
        assert replayed(tmp_path / file, MODELS / "decoder_causal.onnx") == 0
    changed = json.loads((tmp_path / file).read_text(encoding="utf-8"))
    name = next(iter(changed["inputs"]))
    entries = changed["inputs"][name]["entries"]
    entries[0] = "1/4" if entries[0] != "1/4" else "1/2"
    (tmp_path / "changed.json").write_text(json.dumps(changed), encoding="utf-8")
    assert replayed(tmp_path / "changed.json", MODELS / "decoder_causal.onnx") != 0


def test_a_certificate_says_its_hypotheses(causal: Any, tmp_path: Path) -> None:
    """A certificate beside a refutation would seem to contradict it."""
    report = files.write(causal, tmp_path)
    (piece,) = [e for e in report.results[0].evidence if e.kind == "rocq"]
    assert piece.detail == "under hypotheses on: /attention/Cast_output_0"


def test_two_runs_write_the_same_bytes(causal: Any, tmp_path: Path) -> None:
    """A reader could not tell whether anything changed."""
    files.write(causal, tmp_path / "a")
    files.write(causal, tmp_path / "b")
    for path in (tmp_path / "a").rglob("*"):
        if path.is_file():
            other = tmp_path / "b" / path.relative_to(tmp_path / "a")
            assert other.read_bytes() == path.read_bytes()


def test_a_name_of_the_model_is_no_path(evil: Any, tmp_path: Path) -> None:
    """Names that are paths or markup would write outside of the folder."""
    out = tmp_path / "out"
    before = set(tmp_path.rglob("*"))
    written(evil, out)
    assert {p for p in tmp_path.rglob("*") if out not in (p, *p.parents)} == before


def test_a_folder_that_cannot_be_written_is_said(encoder: Any, tmp_path: Path) -> None:
    """A person would see a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="expected one to write to"):
        files.write(encoder, tmp_path / "file")


def test_a_name_that_cannot_be_set_is_said(
    encoder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One name would take all other files with it, or a file be missing without a word."""
    monkeypatch.setattr(names, "cut", lambda *_: "a_{%}")
    (result,) = written(encoder, tmp_path)["results"]
    (said,) = [e["detail"] for e in result["evidence"] if "LaTeX" in e["detail"]]
    assert said.startswith("LaTeX not written: ")
    assert not (tmp_path / "derivations" / "encoder_post_norm-x-1-y.tex").exists()
    assert (tmp_path / "derivations" / "encoder_post_norm-x-1-y.txt").exists()


def test_why_there_is_no_derivation_is_said(tmp_path: Path) -> None:
    """A person would look in vain for the proof of an output in which the input is not."""
    report = decided(model_file("constant_rows.onnx"), "x:1")
    (result,) = files.write(report, tmp_path).results
    (found,) = [e for e in result.evidence if e.kind == "derivation"]
    why = "no derivation, no certificate: x is not in the term of the output"
    assert (found.file, found.detail) == (None, why)
    assert f"    {why}" in decide_text.lines(result)


def test_a_witness_that_is_too_large_is_said(
    causal: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file would be written that `replay` refuses, or the report would name a file in vain."""
    from orderproof.symbolic.witness import fields

    result = causal.results[0]
    name, tensor = next(iter(result.witness.inputs.items()))
    long = replace(tensor, entries=tensor.entries * 2_000)
    monkeypatch.setattr(fields, "MAX_BYTES", 100_000)
    large = replace(result.witness, inputs={name: long})
    data = written(other(causal, witnesses=(large,)), tmp_path)
    piece = next(e for e in data["results"][0]["evidence"] if e["kind"] == "enclosed")
    assert piece["file"] is None
    assert piece["detail"].startswith("not written: given more than")


def test_the_files_of_an_earlier_run_are_gone(encoder: Any, causal: Any, tmp_path: Path) -> None:
    """A counterexample about another model would count as evidence for this one."""
    written(causal, tmp_path)
    assert list((tmp_path / "witnesses").iterdir())
    written(encoder, tmp_path)
    assert not list((tmp_path / "witnesses").iterdir())


def test_nothing_else_is_removed(encoder: Any, tmp_path: Path) -> None:
    """A person's own files would be lost, or files outside the folder."""
    out, other = tmp_path / "out", tmp_path / "other"
    kept = [
        out / "witnesses" / "own.json",
        out / "notes.txt",
        out / "derivations" / "deeper" / "own.tex",
        other / "a.json",
        tmp_path / "b.v",
    ]
    for path in kept:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("own")
    (out / "rocq").symlink_to(other)
    link = out / "witnesses" / "link.json"
    link.symlink_to(other / "a.json")
    names = ["../b.v", "rocq/a.json", "notes.txt", "derivations/deeper/own.tex", "witnesses/..",
             "witnesses/", "witnesses/link.json", str(tmp_path / "b.v"), "witnesses", "", 7,
             None]  # fmt: skip
    data = {"results": [{"evidence": [{"file": name} for name in names]}]}
    (out / "report.json").write_text(json.dumps(data))
    files.write(encoder, out)
    assert all(path.is_file() for path in kept) and link.is_symlink()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"results": 3}', '{"results": [{}]}', "[" * 5000])
def test_an_earlier_report_may_be_anything(encoder: Any, tmp_path: Path, text: str) -> None:
    """What another program wrote would end in a traceback."""
    (tmp_path / "report.json").write_text(text)
    written(encoder, tmp_path)


def test_a_pipe_in_the_place_of_a_file(encoder: Any, tmp_path: Path) -> None:
    """Writing the files would wait for ever."""
    os.mkfifo(tmp_path / "report.json")
    with pytest.raises(OutputError, match="given no regular file"):
        files.write(encoder, tmp_path)


@pytest.mark.slow
def test_the_command_writes(tmp_path: Path) -> None:
    """`--out` would do nothing."""
    from orderproof.command_line import cli

    decided(MODELS / "mask_added.onnx", "x:1")  # or skip
    model = shutil.copy(MODELS / "mask_added.onnx", tmp_path)
    out = tmp_path / "out"
    ran = CliRunner().invoke(
        cli, ["decide", str(model), "--axis", "x:1", "--out", str(out), "--json"]
    )
    assert json.loads(ran.output) == json.loads((out / "report.json").read_text())
