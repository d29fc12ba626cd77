"""results.json: its schema, the exit statuses, whole files or none, the same again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from orderproof import RELEASED
from orderproof.check.page import ClaimPage, Formula, Mark, TheoremPage
from orderproof.check.prove import results
from orderproof.check.prove.results import (
    OutputError,
    ending,
    possible,
    writable,
    write,
    write_json,
)
from orderproof.check.prove.run import prove
from orderproof.check.rocq.mark import Rocq
from orderproof.publish.book import book
from orderproof.publish.book.prose import Chapter


def closed(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def several(item: Any, least: int = 0) -> dict[str, Any]:
    """A list."""
    return {"type": "array", "items": item, "minItems": least}


TEXT = {"type": "string", "minLength": 1}
ID = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}
DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
VERDICT = {"enum": ["proved", "refuted", "open"]}
LAYERS = ["rocq", "kernel", "smt", "sympy", "exact", "interval", "numeric", "paper", "conjecture"]
ROCQ = closed(version=TEXT, seconds={"type": "number", "minimum": 0})
SCHEMA = closed(
    version=TEXT,
    environment={
        "type": "object",
        "properties": {"python": TEXT, "rocq": {"anyOf": [{"type": "null"}, ROCQ]}},
        "additionalProperties": TEXT,
        "required": ["python", "rocq"],
    },
    from_cache={"type": "object", "propertyNames": ID, "additionalProperties": TEXT},
    theorems=several(
        closed(
            id=ID,
            title=TEXT,
            source=TEXT,
            uses=several(ID),
            verdict=VERDICT,
            expected=VERDICT,
            claims=several(
                closed(
                    statement=TEXT,
                    kind=TEXT,
                    verdict=VERDICT,
                    expected=VERDICT,
                    scope=TEXT,
                    digest=DIGEST,
                    marks=several(
                        closed(
                            mark={"enum": LAYERS},
                            ok={"type": ["boolean", "null"]},
                            states={"anyOf": [DIGEST, {"const": ""}]},
                            seconds={"type": "number", "minimum": 0},
                            detail=TEXT,
                        )
                    ),
                ),
                1,
            ),
        )
    ),
)


def page(*claims: tuple[str, str], ok: bool | None = True) -> TheoremPage:
    """A page with claims of these verdicts, and what was expected of each."""
    empty = Formula("x = x", "x = x")
    mark = Mark("kernel", ok, 0.00123456, "as told")
    made = tuple(
        ClaimPage(empty, "equality", "all n", e, v, (mark,), digest="0" * 64) for v, e in claims
    )
    return TheoremPage(
        "toy", "A toy", (("It is one.", (0,)),), "none", (), empty, (), (), made, (empty, "because")
    )


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ([("proved", "proved")], 0),
        ([("proved", "proved"), ("refuted", "refuted")], 0),
        ([("refuted", "proved")], 1),
        ([("proved", "refuted")], 1),
        ([("open", "proved"), ("refuted", "proved")], 1),
        ([("open", "proved")], 3),
        ([("proved", "proved"), ("open", "proved")], 3),
        ([("open", "open")], 3),
        ([], 3),
    ],
)
def test_status(claims: list[tuple[str, str]], code: int) -> None:
    """The exit status would say that all is as declared where a claim failed or stayed open."""
    assert ending([page(*claims)]).status == code
    both = ending([page(("proved", "proved")), page(*claims)])
    assert both.status == (code if claims else 0)


def test_no_theorem_is_not_success() -> None:
    """A run that checked nothing would end as if all had been proved."""
    assert ending([]).status == 3


def test_schema() -> None:
    """A program that reads results.json would not find what was promised to it."""
    pages, _ = prove(("not_invariant_self_attention", "softmax_conjugate"), 1)
    data = json.loads(json.dumps(results.results([*pages, page(("open", "proved"), ok=None)])))
    jsonschema.validate(data, SCHEMA)
    ids = [t["id"] for t in data["theorems"]]
    assert ids == ["not_invariant_self_attention", "softmax_conjugate", "toy"]
    assert data["environment"].keys() == {"python", "rocq", *results.PACKAGES}
    assert data["environment"]["rocq"] is None
    asked = Rocq(Path(), (), 9.5, "8.16.1")
    with_rocq = json.loads(json.dumps(results.results(pages, asked)))
    jsonschema.validate(with_rocq, SCHEMA)
    assert with_rocq["environment"]["rocq"] == {"version": "8.16.1", "seconds": 9.5}
    mark = data["theorems"][2]["claims"][0]["marks"][0]
    told = {"mark": "kernel", "ok": None, "states": "", "seconds": 0.0012, "detail": "as told"}
    assert mark == told
    kernel, *_ = data["theorems"][1]["claims"][0]["marks"]
    assert kernel["mark"] == "kernel"  # it states the claim itself; a sweep a part of it
    own = data["theorems"][1]["claims"][0]["digest"]
    states = {m["mark"]: m["states"] for m in data["theorems"][1]["claims"][0]["marks"]}
    assert states["kernel"] == own != states["sympy"]
    digests = [c["digest"] for t in data["theorems"][:2] for c in t["claims"]]
    assert len(set(digests)) == len(digests)
    for spoilt in ("maybe", None):
        data["theorems"][0]["claims"][0]["marks"][0]["ok"] = spoilt or "yes"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, SCHEMA)
    del data["theorems"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


# ------------------------------------------------------------------------------ writing of files
def test_write(tmp_path: Path) -> None:
    """A file would not hold the text, or could not be read by others."""
    path = write(tmp_path / "new" / "a.txt", "σ\n")
    assert path.read_bytes() == "σ\n".encode() and path.stat().st_mode & 0o777 == 0o644
    assert os.listdir(path.parent) == ["a.txt"]


@pytest.mark.parametrize("step", ["chmod", "replace"])
def test_a_failure_in_the_middle_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """A full disk would leave half a file, none, or rubbish beside it."""
    path = write(tmp_path / "results.json", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OutputError, match="No space left on device") as error:
        write(path, "new")
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["results.json"]


def test_an_interruption_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C would leave half a file, or would be taken for a full disk."""
    path = write(tmp_path / "results.json", "old")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(path, "new")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["results.json"]


def test_nan_is_not_written(tmp_path: Path) -> None:
    """results.json would hold NaN, which no other reader of JSON takes."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "results.json", {"seconds": float("nan")})
    assert os.listdir(tmp_path) == []
    assert json.loads(write_json(tmp_path / "r.json", {"σ": 1}).read_text("utf-8")) == {"σ": 1}


def unwritable(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """Folders that even root cannot write to, and why."""
    (tmp_path / "file").write_text("")
    yield tmp_path / "file" / "below", "Not a directory"
    yield tmp_path / "file", "File exists"
    yield Path("/proc/orderproof"), "No such file or directory"


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A person would get a traceback, or no reason, or work would be done first."""
    for folder, why in unwritable(tmp_path):
        with pytest.raises(OutputError) as error:
            writable(folder)
        assert str(error.value) == f"output folder {folder}: {why}; expected one to write to"
    assert writable(tmp_path / "a" / "b").is_dir() and os.listdir(tmp_path / "a" / "b") == []


def test_file_that_is_a_folder(tmp_path: Path) -> None:
    """A folder in the place of a file would give a traceback, or be replaced."""
    (tmp_path / "results.json" / "kept").mkdir(parents=True)
    with pytest.raises(OutputError, match="Is a directory"):
        write(tmp_path / "results.json", "new")
    assert (tmp_path / "results.json" / "kept").is_dir()
    assert os.listdir(tmp_path) == ["results.json"]


def test_a_folder_is_possible_before_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search would take its minutes, and then find that its result cannot be written."""
    (tmp_path / "file").touch()
    (tmp_path / "nowhere").symlink_to("none")
    for good in (tmp_path, tmp_path / "a" / "b"):
        assert possible(good) == good and not (tmp_path / "a").exists()
    for bad in ("file", "file/a", "nowhere/a"):
        with pytest.raises(OutputError, match=r"^output folder .*: Not a directory; expected one"):
            possible(tmp_path / bad)
    monkeypatch.setattr(os, "access", lambda path, how: how != os.W_OK | os.X_OK)
    with pytest.raises(OutputError, match=r": Permission denied; expected one to write to$"):
        possible(tmp_path / "a")


WRITES = """
import sys
from pathlib import Path
from orderproof.check.prove.results import OutputError, write
try:
    write(Path(sys.argv[1]), "new")
except OutputError as error:
    print(error)
"""


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_file_that_is_a_pipe_or_a_device(tmp_path: Path, kind: str) -> None:
    """Reading what is there would never end; or a device would be replaced by a file."""
    path = tmp_path / "report.json"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-c", WRITES, str(path)], capture_output=True, text=True, timeout=300
    )
    expected = f"output file {path}: given no regular file, expected one to write\n"
    assert (done.stdout, done.stderr) == (expected, "")
    assert os.listdir(tmp_path) == ["report.json"] and not path.is_file()


# ---------------------------------------------------------------------------------- once more
def run_once(out: Path) -> tuple[Any, bytes]:
    """results.json and book.tex of one theorem."""
    pages, _ = prove(("perm_transpose_mul",), 1)
    write_json(out / "results.json", results.results(pages))
    text = "<< {0}('perm_transpose_mul') >>"
    alone = Chapter("02_permutations", source=text.format("theorem") + text.format("proof"))
    book.write_sources(pages, out, date=RELEASED, chapters=(alone,))
    return (out / "results.json").read_text("utf-8"), (out / "book.tex").read_bytes()


def test_two_runs_differ_in_seconds_alone(tmp_path: Path) -> None:
    """What was proved yesterday could not be compared with what is proved today."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (first, tex), (second, again) = run_once(tmp_path / "a"), run_once(tmp_path / "b")
    assert tex == again and b"seconds" not in tex

    def still(text: str) -> list[str]:
        return [line for line in text.splitlines() if '"seconds": ' not in line]

    assert still(first) == still(second) and len(still(first)) < len(first.splitlines())
    assert still(first) != still(first.replace("proved", "open"))
