"""What `decide --out` writes: whole files, named by the report, that others can recheck, and among
them certificates that Rocq proves; or why there are none."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orderproof.check.prove.results import OutputError
from orderproof.check.rocq.certificate import NoCertificate, check_file
from orderproof.check.rocq.library import Library
from orderproof.commands import decide_text
from orderproof.publish.decided import files
from orderproof.publish.decided.files import certificate_of
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


def test_names_of_files_stay_in_their_folder_and_differ(tmp_path: Path) -> None:
    """A name of a tensor would be a path: files would be written elsewhere, or hidden. Or one would
    be written over another, where names differ in what a file name loses, or in case alone."""
    folder = files.Folder(Report("", "m.onnx", ()), Path())
    found = [named(folder, name) for name in (*NAMES, *NAMES)]
    found += [named(folder, "a", 1, "0_y"), named(folder, "a_1", 0, "y")]
    assert len({f.lower() for f in found}) == len(found)
    assert all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]*\.v", f) and len(f) < 120 for f in found)
    report, before = evil(tmp_path), set(tmp_path.iterdir())
    written(report, tmp_path / "out")
    assert {*tmp_path.iterdir()} - before == {tmp_path / "out"}


# ------------------------------------------------------------------------- what is not written
def large(report: Any) -> Any:
    """The report with a counterexample of many entries."""
    witness = report.results[0].witness
    name, tensor = next(iter(witness.inputs.items()))
    many = replace(tensor, entries=tensor.entries * 2_000)
    return other(report, witnesses=(replace(witness, inputs={name: many}),))


NO = "not written: no certificate: "
NOT_WRITTEN: dict[str, tuple[str, str, str, Any, str]] = {  # model, kind, what is patched, why
    "TeX has no letter": ("encoder_post_norm", "derivation",
     "orderproof.publish.decided.derivation.cut", lambda *_: "a_{%}", "LaTeX not written: "),
    "no string of Rocq": ("evil", "rocq", "tests.publish.decided.models.EVIL", "a\n*)",
     f"{NO}given the name 'a\\n*)w', expected one that is printable"),
    "rows of a constant": ("decoder_causal_last_1", "rocq", "", None,
     f"{NO}the hypothesis on bitwise_not, at places is about rows of a constant, not all of it"),
    "too large for Rocq": ("encoder_post_norm", "rocq",
     "orderproof.publish.decided.files.LARGEST_TERM", 3, f"{NO}given a term of "),
    "too large for replay": ("decoder_causal", "enclosed",
     "orderproof.symbolic.witness.fields.MAX_BYTES", 100_000, "not written: given more than"),
    "no input in the term": ("constant_rows", "derivation", "", None,
     "no derivation, no certificate: x is not in the term of the output"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "target", "value", "why"), NOT_WRITTEN.values(),
                         ids=NOT_WRITTEN)  # fmt: skip
def test_what_is_not_written_is_said(
    name: str, kind: str, target: str, value: Any, why: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """One name would take all other files with it, or a person look in vain for a file that is
    missing without a word, or meet one that `replay` or Rocq refuses."""
    if target:
        monkeypatch.setattr(target, value)
    report = evil(tmp_path) if name == "evil" else decided(name)
    report = large(report) if kind == "enclosed" else report
    found = evidence(written(report, tmp_path / "out"))
    (said,) = [detail for k, file, detail in found if k == kind and file is None]
    assert said.startswith(why)
    printed = decide_text.lines(files.write(report, tmp_path / "out").results[0])
    assert (f"    {why}" in printed) is (name == "constant_rows")


def test_what_shows_nothing_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name could turn the direction of a line, or a terminal obey it."""
    monkeypatch.setattr(files, "as_text", lambda _: "a\u202eb\nc\0")
    written(decided("encoder_post_norm"), tmp_path)
    (path,) = (tmp_path / "derivations").glob("*.txt")
    assert path.read_text(encoding="utf-8") == "a\\u202eb\nc\\x00\n"


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


# ------------------------------------------------------------------------------- certificates
@pytest.mark.slow
@pytest.mark.parametrize("name", ["encoder_post_norm", "decoder_causal", "mask_added"])
def test_rocq_accepts_the_certificate_of_a_model(
    name: str, library: Library, tmp_path: Path
) -> None:
    """What the kernel proved of a file of ONNX, hypotheses about constants among it, would not be
    proved for one who believes Rocq alone; or a false certificate would be accepted: another motion
    of the output, an input that is not moved, a hypothesis left out."""
    (result,) = decided(name).results
    text = certificate_of(result, "model")
    assert "Theorem decided_model " in text
    false = [re.sub(r"(?<=motion_ : moves := \[::)", " None;", text)]
    for part in ["moved", *["fixed"] * bool(result.proof.hypotheses)]:
        false.append(re.sub(f"(?<={part} : leaf_moves := ).*", "[::].", text))
    for k, each in enumerate((text, *false)):
        assert k == 0 or each != text
        path = tmp_path / "claim.v"
        path.write_text(each, encoding="utf-8")
        assert check_file(path, library.folder).ok is (k == 0)


def test_a_certificate_is_about_the_model_and_has_a_name() -> None:
    """A file would be written about another term than that of the model; or Rocq would reject the
    name of a file as that of a theorem."""
    mask, encoder = decided("mask_added"), decided("encoder_post_norm")
    text = certificate_of(mask.results[0], "a-b.c π_1")
    assert "\nTheorem decided_a_b_c___1 (M" in text
    wrong = other(encoder, proof=mask.results[0].proof)
    with pytest.raises(NoCertificate, match="not of the output's term"):
        certificate_of(wrong.results[0], "model")
