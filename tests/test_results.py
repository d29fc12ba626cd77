"""results.json: its schema, the exit statuses, whole files or none, the same again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from orderproof import RELEASED
from orderproof.check.page import HEADLINE, ClaimPage, Formula, Mark, TheoremPage
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
from orderproof.check.prove.trust import MARKS, VERDICTS
from orderproof.check.prove.unchecked import kinds
from orderproof.check.rocq.mark import Rocq
from orderproof.proofs import catalogue
from orderproof.publish import book
from orderproof.publish.chapters import Text
from tests.judged import loaded
from tests.packaging.environment import ROOT

FILE = Path(results.__file__).with_name("results.schema.json")
SCHEMA = json.loads(FILE.read_text(encoding="utf-8"))
STATEMENTS = "rocq (recorded)"  # the mark of a proof that an earlier run of Rocq checked


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


CLAIM = ("theorems", 0, "claims", 0)
MARK = (*CLAIM, "marks", 0)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("theorems",), None),
        (("theorems", 0, "verdict"), None),
        ((*CLAIM, "verdict"), None),
        ((*CLAIM, "digest"), None),
        ((*CLAIM, "marks"), None),
        ((*MARK, "ok"), None),
        (("environment", "cvc5"), None),
        (("news",), "a key"),
        ((*CLAIM, "news"), "a key"),
        ((*MARK, "news"), "a key"),
        (("environment", "news"), "1.0"),
        (("version",), 1),
        (("from_cache",), {"Not an id": "2026-01-01"}),
        (("from_cache",), {"sum_act": 1}),
        (("theorems", 0, "id"), "Sum act"),
        (("theorems", 0, "uses"), ["sum_act", "sum_act"]),
        (("theorems", 0, "claims"), []),
        (("theorems", 0, "expected"), "open"),
        ((*CLAIM, "verdict"), "true"),
        ((*CLAIM, "kind"), "equation"),
        ((*CLAIM, "statement"), ""),
        ((*CLAIM, "scope"), 3),
        ((*CLAIM, "digest"), "0" * 63),
        ((*MARK, "mark"), "guess"),
        ((*MARK, "ok"), "yes"),
        ((*MARK, "ok"), 1),
        ((*MARK, "states"), "all"),
        ((*MARK, "seconds"), -1),
        ((*MARK, "seconds"), "1"),
        ((*MARK, "detail"), 5),
        (("environment", "rocq"), "8.16.1"),
        (("environment", "rocq"), {"version": "8.16.1"}),
    ],
)
def test_the_schema_refuses_what_is_no_result(place: tuple[Any, ...], value: Any) -> None:
    """A program that checks a file by the schema would read one that lacks what it needs, or has
    something in another form. None leaves the key out."""
    data = json.loads(json.dumps(results.results([page(("proved", "proved"))])))
    jsonschema.validate(data, SCHEMA)
    holder = data
    for key in place[:-1]:
        holder = holder[key]
    if value is None:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, SCHEMA)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a schema that is a JSON object."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(part, dict | list):
            yield from objects(part)


def test_the_schema_is_strict_and_says_what_it_is_about() -> None:
    """A key could be missing, or a new one go unnoticed, in some part of the file; or a field would
    have no meaning but its name."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == jsonschema.Draft202012Validator.META_SCHEMA["$id"]
    closed = [x for x in objects(SCHEMA) if "properties" in x]
    assert len(closed) == 6
    for part in closed:
        assert part["required"] == [*part["properties"]] and not part["additionalProperties"]
    refs = {k: v.get("description") for k, v in SCHEMA["$defs"].items()}
    for name, part in ((n, p) for x in closed for n, p in x["properties"].items()):
        plain = name in ("seconds", "python", "version")
        assert plain or part.get("description") or refs[part["$ref"].split("/")[-1]], name


def test_the_schema_names_what_there_is() -> None:
    """A mark, a verdict or a package that was added would be refused by the schema; or it would
    promise one that was removed."""
    marks = SCHEMA["$defs"]["mark"]["properties"]["mark"]["enum"]
    assert sorted(marks) == sorted({*(t.name for t in MARKS), STATEMENTS})
    verdicts = set(SCHEMA["$defs"]["verdict"]["enum"])
    assert verdicts - {"recorded"} <= set(re.findall(r"\w+", VERDICTS))
    assert set(SCHEMA["$defs"]["expected"]["enum"]) < verdicts
    environment = SCHEMA["properties"]["environment"]["properties"]
    assert sorted(environment) == sorted({"python", "rocq", *results.PACKAGES})


@pytest.mark.slow  # builds every theorem
def test_the_schema_names_the_kinds_of_statements() -> None:
    """A claim of another kind would be refused by the schema, which nobody would notice here."""
    used = {HEADLINE, *(k for name in catalogue.IDS for k in kinds(loaded(name)))}
    named = SCHEMA["$defs"]["claim"]["properties"]["kind"]["enum"]
    assert sorted(named) == sorted(used)


def test_the_page_names_every_part_and_its_commands_work(tmp_path: Path) -> None:
    """Who reads docs/results.md would miss a key, or be given a command that fails."""
    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    keys = {name for x in objects(SCHEMA) for name in x.get("properties", {})}
    inside = {"python", "rocq", "mark", "seconds", *results.PACKAGES}
    assert [name for name in sorted(keys - inside) if f"`{name}`" not in text] == []
    data = results.results([page(("proved", "proved"), ("open", "proved"))])
    path = write_json(tmp_path / "build/results.json", data)
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True)
    assert done.stdout.decode() == "toy open [('kernel', 'as told')]\n" and not done.stderr
    (command,) = re.findall(r"```sh\ncheck-jsonschema (.*)\n```", text)
    option, schema, file = command.split()
    assert (ROOT / schema).resolve() == FILE.resolve() and file == "build/results.json"
    pytest.importorskip("check_jsonschema")
    from check_jsonschema import main as check_jsonschema

    told = [CliRunner().invoke(check_jsonschema, [option, str(FILE), str(path)])]
    write_json(path, {**data, "version": 1})
    told += [CliRunner().invoke(check_jsonschema, [option, str(FILE), str(path)])]
    assert [x.exit_code for x in told] == [0, 1]


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
    text = "{theorem perm_transpose_mul}\n\n{proof perm_transpose_mul}"
    alone = Text("permutations", source=text)
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
