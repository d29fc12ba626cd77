"""CONTRIBUTING.md against the project: its picture, its ten lines, and what can be added."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import count
from tests import picture_of_imports as picture

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(?:python|text)\n(.*?)```", PAGE, re.DOTALL)
EXAMPLE, THEOREM, SCHEME, REPLAY, MARK, OPERATOR = BLOCKS
NAME, CHAPTER = "residual_equivariant", "proofs/heads"
MARKS = "orderproof/check/marks/same.py"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The package copied to where things may be added."""
    for name in ("orderproof", "symbolic", "numeric", "proofs"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    return tmp_path


def edited(path: Path, old: str, new: str) -> None:
    """Replace what stands once in a file."""
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{path}: given {text.count(old)} times, expected once: {old}")
    path.write_text(text.replace(old, new), encoding="utf-8")


def run(tree: Path, *arguments: str) -> tuple[int, str]:
    """`orderproof` with these arguments, of the copy."""
    command = [sys.executable, "-m", "orderproof", *arguments]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def add_theorem(tree: Path, text: str) -> None:
    """As the page says: a file, and a line of its chapter."""
    (tree / CHAPTER / f"{NAME}.py").write_text(text, encoding="utf-8")
    edited(tree / CHAPTER / "__init__.py", "THEOREMS = (\n", f'THEOREMS = (\n    "{NAME}",\n')


def test_the_picture_is_made_from_the_imports() -> None:
    """A folder or an import would be missing from the picture that newcomers see."""
    assert picture.written(PAGE) == PAGE
    with pytest.raises(ValueError, match="given 0 places"):
        picture.written("a page without a picture")


def test_the_lines_are_about_those_of_now() -> None:
    """The page would say that the project is small long after it has grown."""
    said, now = (
        [int(n.replace(",", "")) for n in re.findall(r"(?<=\| )[\d,]+(?= \|)", text)]
        for text in (PAGE.partition(count.BEGIN)[2].partition(count.END)[0], count.short())
    )
    assert len(said) == len(now) == 8
    assert all(abs(a - b) <= 200 + 0.02 * b for a, b in zip(said, now, strict=True)), "make readme"
    with pytest.raises(ValueError, match="given 0 places"):
        count.written("a page without lines")


def test_code_docstrings_and_comments_are_told_apart() -> None:
    """A file could be called shorter for lost docstrings, or for longer lines."""
    text = '"""Of a module,\nin two lines."""\n\n# a comment\ndef f():\n    """Of f."""\n'
    text += '    return (\n        "not a docstring"\n    )\n'
    assert count.of_source(text) == count.Count(1, 9, 4, 3, 1, 5, 34)


def test_arrows_that_others_imply_are_left_out() -> None:
    """The picture would show every import, and nobody could read it."""
    graph = {"a": {"b", "c"}, "b": {"c"}, "c": set()}
    assert picture.reduced(graph) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_the_way_of_a_term_can_be_walked() -> None:
    """The ten lines that a newcomer tries first would fail."""
    for text, failures in ((EXAMPLE, 0), (EXAMPLE.replace("P\\\\,(X", "P\\\\,(W"), 1)):
        example = doctest.DocTestParser().get_doctest(text, {}, "CONTRIBUTING.md", None, 0)
        assert example.examples
        assert doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None)[0] == failures


@pytest.mark.slow
def test_a_theorem_can_be_added(tree: Path) -> None:
    """The example file would not be proved, or be proved whatever it says."""
    add_theorem(tree, THEOREM)
    status, said = run(tree, "prove", NAME)
    assert status == 0 and "1 theorem proved here." in said, said
    for old, new in (('{"i": sigma}', '{"i": inverse(sigma)}'), ("= P X + P (X W)", "= P (X W)")):
        (tree / CHAPTER / f"{NAME}.py").write_text(THEOREM.replace(old, new), encoding="utf-8")
        assert run(tree, "prove", NAME)[0] != 0


@pytest.mark.slow
def test_a_scheme_can_be_added(tree: Path) -> None:
    """The example entry would be no scheme of some command."""
    edited(
        tree / "symbolic/schemes/definitions.py", ")  # fmt: skip\nPOSITION_SCHEMES",
        f"{SCHEME})  # fmt: skip\nPOSITION_SCHEMES",
    )  # fmt: skip
    edited(
        tree / "symbolic/witness/scheme_file.py", '"circulant-even",\n    ), ())',
        '"circulant-even", "strided",\n    ), ())',
    )  # fmt: skip
    edited(
        tree / "symbolic/witness/replay.py", '        case "blocks" | ',
        f'{REPLAY}        case "blocks" | ',
    )  # fmt: skip
    commands = (
        ("table", "--scheme", "strided"),
        ("search", "--scheme", "strided", "--n", "3", "--d", "1"),
        ("symmetry", "--scheme", "strided", "--n", "6"),
    )
    for command in commands:
        status, said = run(tree, *command)
        assert status == (3 if command[0] == "table" else 0), said  # of blocks it stays open
        assert "strided" in said
    assert run(tree, "symmetry", "--scheme", "stridded", "--n", "6")[0] == 2


@pytest.mark.slow
def test_a_mark_can_be_added(tree: Path) -> None:
    """The example check would not be printed as a mark, or would accept what is false."""
    (tree / MARKS).write_text(MARK, encoding="utf-8")
    with_mark = THEOREM.replace(
        'marks = {"sympy"', 'marks = {"same": by_sameness, "sympy"'
    ).replace(
        "import by_sympy\n",
        "import by_sympy\nfrom orderproof.check.marks.same import by_sameness\n",
    )
    add_theorem(tree, with_mark)
    status, said = run(tree, "prove", NAME)
    assert status != 0 and "same" in said, said  # the sides of this claim are two terms


def test_an_operator_can_be_added(tmp_path: Path) -> None:
    """The example would not be read, or a wrong reading of it be proved as well."""
    onnx = pytest.importorskip("onnx", reason="the extra onnx is not installed")
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    from orderproof.symbolic.onnx import operators
    from orderproof.symbolic.onnx.decide import decide
    from orderproof.symbolic.onnx.reader import OPERATORS

    model = '<ir_version: 8, opset_import: ["": 17]> g (float[n,3] x) => (float[n,3] y) {'
    onnx.save(onnx.parser.parse_model(model + "y = LpNormalization (x)}"), tmp_path / "lp.onnx")
    wrong = OPERATOR.replace('function("mul", x, x)', 'function("add", x, x)')
    answers = []
    for text in ("", wrong, OPERATOR):
        exec(text, {"__package__": operators.__name__, "__name__": "lp"})
        answers.append(decide(tmp_path / "lp.onnx").results[0].answer)
        OPERATORS.pop("LpNormalization", None)
    assert answers == ["unsupported", "unknown", "equivariant"]
