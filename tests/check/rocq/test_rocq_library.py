"""The Rocq development: compiled once, compared word for word, and fooled on purpose."""

import json
import shutil
from pathlib import Path

import pytest

from orderproof import command_line as cli
from orderproof.check.rocq import library as rocq
from orderproof.check.rocq import mark as rocq_mark
from orderproof.check.rocq import run as rocq_run
from orderproof.check.rocq.run import PACKAGED, RocqError, compile_texts
from orderproof.proofs.catalogue import IDS
from tests.judged import FIVE, loaded

# Still to come: in Rocq, and in the book.
# Theorems still to come; or whose claims a headline of another theorem states.
PYTHON_ONLY = {
    "decoder_block_equivariant_without_mask",
    "decoder_block_invariant_of_memory",
    "decoder_equivariant_without_mask",
    "decoder_invariant_of_memory",
    "encoder_decoder_invariant_of_source",
    "every_depth",
    "multi_head_cross_attention_equivariant",
    "not_decoder_block_equivariant_of_causal_mask",
    "equivariant_of_equal_position_ids",
    "equivariant_of_fixed_mask",
    "equivariant_of_fixed_score_bias",
    "class_token_invariant",
    "kernel_attention_of_fixed_position_table",
    "linear_attention_equivariant",
    "naturality_of_fixed_index",
    "norms_equivariant",
    "not_equivariant_of_causal_mask",
    "not_equivariant_of_moved_position_table",
    "not_equivariant_of_normed_position",
    "not_equivariant_of_score_bias",
    "offset_invariant_of_alibi",
    "pooled_encoder_invariant",
    "random_features_equivariant",
    "score_bias_row_factors",
    "sigmoid_attention_equivariant",
    "sinusoidal_rows_distinct",
    "softmax_row_stochastic",
    "not_equivariant_of_sinusoidal_position",
    "position_after_first_layer_cancels",
}
ROCQ_ONLY = {"euclidean_norms"}  # no claim has been written of norms


def spoil(path: Path, old: str, new: str) -> None:
    """Change one place of a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def part(library: rocq.Library, sources: Path, file: str, out: Path) -> rocq.Library:
    """One file of spoiled sources, compiled against the development as it stands, which has all
    that it needs; what Rocq says of that file."""
    out = Path(shutil.copytree(library.folder, out))
    text = rocq.read([file], sources)[file]
    ran = compile_texts(out, {file: text + rocq.questions(file, text)}, 300)[file]
    theorems, definitions = rocq.understood(file, ran.said)
    spoiled = {file: definitions}
    return rocq.Library(
        out, {**library.theorems, file: theorems}, {**library.definitions, **spoiled}, {}, {}, 0
    )


# ---------------------------------------------------------------------- without running Rocq
def test_ids_match_the_catalogue() -> None:
    """A theorem of the book has no Rocq counterpart, or the other way round, unannounced; or what
    is announced as still to come is there already."""
    names = set(rocq.ids())
    shown = {h for name in IDS for h in (*loaded(name).headlines, *loaded(name).refuted)}
    assert shown <= names
    assert names - set(IDS) - shown == ROCQ_ONLY
    assert set(IDS) - names == PYTHON_ONLY


def test_claims_cite_theorems_that_are_there() -> None:
    """A claim would say that Rocq proves it, by a theorem that does not exist."""
    cited = {claim.rocq for name in IDS for claim in loaded(name).claims if claim.rocq}
    assert cited <= set(rocq.ids())
    assert cited


def test_every_file_is_compiled_and_listed() -> None:
    """A file of the development would never be checked, or not be found by an editor."""
    listed = (rocq.SOURCES / "_CoqProject").read_text().split("\n")[1:-1]
    assert sorted(rocq.ORDER) == sorted(p.stem for p in rocq.SOURCES.glob("*.v"))
    assert listed == [f"{name}.v" for name in rocq.ORDER]


def test_order_has_each_file_after_those_that_it_needs() -> None:
    """A file would be compiled before one that it imports."""
    texts = rocq.read(rocq.ORDER)
    for k, name in enumerate(rocq.ORDER):
        assert rocq_run.needed(texts[name]) <= set(rocq.ORDER[:k])
    assert all(rocq_run.needed(texts[f]) <= set(rocq.PROGRAMS) for f in rocq.PROGRAMS)


def test_the_real_theorems_are_instances_of_headlines() -> None:
    """A theorem at the real exponential would claim to be one that is not stated."""
    real = rocq.stated("Real", rocq.read(["Real"])["Real"])
    assert set(real.values()) <= {*rocq.ids(), "functions"}  # what the claims ask of exp and √
    assert {"softmax_conjugate", "encoder_equivariant", "additive_position_iff"} <= {*real.values()}


@pytest.mark.parametrize("names", [FIVE, pytest.param(IDS, marks=pytest.mark.slow)])
def test_every_claim_that_is_to_carry_the_mark_has_its_file(names: tuple[str, ...]) -> None:
    """A claim that was pushed would be certified by nothing, or another proved by nothing."""
    none = rocq_mark.Rocq(Path(), (), 0, "")
    for name in names:
        theorem = loaded(name)
        asked = rocq_mark.by_rocq(none, theorem)
        wanted = {k for k, c in enumerate(theorem.claims, 1) if "rocq" in c.declared()}
        assert {*asked.checks} == wanted, name
        texts = rocq_mark.files(theorem)
        assert {*texts} == {f"{name}_{k}.v" for k in wanted}
        for file, text in texts.items():
            assert not rocq.unproved(text)
            assert f"Print Assumptions {Path(file).stem}." in text


def test_recorded_assumptions() -> None:
    """The record itself would hold a theorem that rests on more than it may."""
    for file, kinds in json.loads(rocq.STATEMENTS.read_text()).items():
        for name, said in kinds["theorems"].items():
            head = rocq.Headline(name, said["statement"], said["assumptions"])
            assert head.axioms == (rocq.AXIOMS if file == rocq.REAL else ()), name


@pytest.mark.parametrize("word", ["Admitted.", "Axiom wrong : False.", "Parameter p : nat."])
def test_what_needs_no_proof_is_refused(word: str, copy: Path) -> None:
    """coqc exits 0 on Admitted and on axioms: they would be taken for proofs."""
    with (copy / "Attention.v").open("a") as file:
        file.write(f"\n{word}\n")
    with pytest.raises(RocqError, match=rf"^Attention\.v: {word.split()[0].strip('.')}"):
        rocq.read(rocq.ORDER, copy)


def test_a_comment_may_name_an_axiom(copy: Path) -> None:
    """A comment that speaks of axioms would be refused."""
    with (copy / "Attention.v").open("a") as file:
        file.write("\n(* No Axiom here. *)\n")
    assert rocq.read(["Attention"], copy)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("Headlines", "Theorem scores_conjugate", "Theorem scores_conjugated"),
        ("Headlines", "(* id: scores_conjugate *)", "(* id: scores *)"),
        ("Real", "Theorem real_encoder_equivariant", "Theorem real_encoder"),
        ("Sound", "(* rule: sym *)\nLemma", "(* rule: sym *)\n\nDefinition no := 0.\nLemma"),
    ],
)
def test_theorem_that_lost_its_mark_is_refused(file: str, old: str, new: str, copy: Path) -> None:
    """A theorem is removed or renamed while its mark stays."""
    spoil(copy / f"{file}.v", old, new)
    with pytest.raises(RocqError, match=rf"^{file}\.v: marks and theorems differ"):
        rocq.stated(file, rocq.read([file], copy)[file])


def test_files_that_need_each_other(tmp_path: Path) -> None:
    """A circle of imports would never end."""
    texts = {"A": "From orderproof Require Import B.\n", "B": "From orderproof Require Import A.\n"}
    with pytest.raises(RocqError, match="A, B: these need each other"):
        compile_texts(tmp_path, texts)


def test_no_coqc_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where Rocq is not installed, a traceback would say so."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RocqError, match=rf"^coqc: not installed \(Debian: {PACKAGED}\)"):
        compile_texts(tmp_path, {"A": ""})


def test_a_failure_of_rocq_ends_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], copy: Path, tmp_path: Path
) -> None:
    """A development that Rocq rejects would end in a traceback, or with the status of bad usage."""
    for module in (rocq, rocq_run):  # as if it were there, on a machine without it too
        monkeypatch.setattr(module, "installed", lambda package="": True)
    spoil(copy / "Attention.v", "Proof. exact: mxE. Qed.", "Admitted.")
    assert rocq.main([], tmp_path / "out", copy) == 1
    said = capsys.readouterr()
    assert said.err == "Attention.v: Admitted: every statement must be proved\n"

    def broken(*arguments: object) -> None:
        raise RocqError("Attention.v:\nrejected")

    monkeypatch.setattr("orderproof.commands.shared.rocq_library", broken)
    monkeypatch.setattr("sys.argv", ["orderproof", "prove", "sum_act", "--rocq", "--out",
                                     str(tmp_path)])  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    said = "orderproof: expected files that Rocq accepts, found Attention.v: rejected\n"
    assert capsys.readouterr().err == said


def test_bad_usage(capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped word would be taken for a request to check."""
    assert rocq.main(["recrod"]) == 2
    assert capsys.readouterr().out == "rocq_library: given recrod, expected nothing or record\n"


# --------------------------------------------------------------------------------- with Rocq
@pytest.mark.slow
def test_as_recorded(library: rocq.Library) -> None:
    """A statement, a definition or an assumption changed, and its record did not."""
    assert rocq.differences(library) == []


@pytest.mark.slow
def test_what_is_assumed(library: rocq.Library) -> None:
    """A theorem rests on an axiom: the abstract ones on any, the real ones on more than those of
    classical analysis."""
    for file, theorems in library.theorems.items():
        expected = rocq.AXIOMS if file == rocq.REAL else ()
        assert {h.axioms for h in theorems.values()} <= {expected}, file
    stated = {f: len(library.theorems[f]) for f in rocq.STATED if f not in library.skipped}
    assert all(stated.values())
    assert stated["Headlines"] >= 26


@pytest.mark.slow
def test_the_real_instance_is_skipped_visibly(
    library: rocq.Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where MathComp Analysis is missing, its theorems would count as checked, or as changed."""
    there = {f: t for f, t in library.theorems.items() if f != rocq.REAL}
    defined = {f: d for f, d in library.definitions.items() if f != rocq.REAL}
    without = rocq.Library(
        library.folder, there, defined, {rocq.REAL: rocq.NO_ANALYSIS}, library.seconds, 0
    )
    assert rocq.differences(without) == []
    assert "SKIP: Real.v: libcoq-mathcomp-analysis is not installed" in rocq.table(without)
    assert "real_" not in rocq.table(without)
    unannounced = rocq.Library(library.folder, there, defined, {}, library.seconds, 0)
    assert len(rocq.differences(unannounced)) >= 10


@pytest.mark.slow
def test_changed_statement_is_seen(library: rocq.Library, copy: Path, tmp_path: Path) -> None:
    """A weakened statement, still provable, would pass."""
    spoil(
        copy / "Headlines.v",
        "n m d (s : 'S_n) (t : 'S_m)\n    (Q",
        "n m (d := 1%N) (s : 'S_n) (t : 'S_m)\n    (Q",
    )
    other = part(library, copy, "Headlines", tmp_path / "out")
    assert rocq.differences(other) == ["scores_conjugate: not as in statements.json"]


WEAKER = [  # file, a definition changed so, where the proofs begin, what is no longer as recorded
    (
        "Attention",
        ("softmax (scores Q K) *m V.", "map_mx w (scores Q K) *m V."),
        "(* Attention moves with its tokens *)",
        "attend",
    ),
    (
        "Encoder",
        ("affine (WO H) (bO H)", "affine (WO H) 0"),
        "(* Everything moves with its tokens *)",
        "multi_head",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "change", "proofs", "name"), WEAKER)
def test_changed_definition_is_seen(
    file: str,
    change: tuple[str, str],
    proofs: str,
    name: str,
    library: rocq.Library,
    copy: Path,
    tmp_path: Path,
) -> None:
    """Attention without its normalisation, or without a bias, moves with its tokens too, and every
    statement reads as before: only the definition says what was proved."""
    path = copy / f"{file}.v"
    spoil(path, *change)
    path.write_text(path.read_text().partition(proofs)[0])
    other = part(library, copy, file, tmp_path / "out")
    assert rocq.differences(other) == [f"{name}: not as in statements.json"]


EMPTY = {  # what a certificate assumes, changed into what no model, or none of interest, satisfies
    "equations_hold, false": "False /\\ ",
    "equations_hold, all agree": "(forall e f env, eval M env e = eval M env f) /\\ ",
    "good, false": "False",
    "good, one value": "forall x y : value M, x = y",
}


def emptied(what: str, path: Path) -> None:
    """Changes it, and keeps the theorem that certificates instantiate provable."""
    if what.startswith("equations_hold"):
        spoil(path, "forall e f, (e, f) \\in es ->", f"{EMPTY[what]}forall e f, (e, f) \\in es ->")
        spoil(path, "(check_sound G H h)", "(check_sound G H.2 h)")
    else:
        weaker = f"Definition good M C := good M C /\\ {EMPTY[what]}.\n"
        spoil(path, "Theorem good_exists", f"{weaker}Theorem good_exists")


@pytest.mark.slow
@pytest.mark.parametrize("what", EMPTY)
def test_an_assumption_that_nothing_satisfies_is_seen(
    what: str, library: rocq.Library, copy: Path, tmp_path: Path
) -> None:
    """Certificates would be about no model, or about models in which everything is equal: all
    theorems hold of those, and all keep their words."""
    path = copy / "SoundProgram.v"
    emptied(what, path)
    begins = path.read_text().partition("Theorem good_exists")[0].count("\n") + 1
    with pytest.raises(RocqError, match=r"^SoundProgram\.v:\d+: rejected") as said:
        part(library, copy, "SoundProgram", tmp_path / "out")
    assert int(str(said.value).split(":")[1]) > begins
    path.write_text(path.read_text().partition("Theorem good_exists")[0])
    other = part(library, copy, "SoundProgram", tmp_path / "less")
    name = what.partition(",")[0]
    changed = (
        "not as in statements.json"
        if name == "equations_hold"
        else "there, and not in statements.json"
    )
    expected = {f"{name}: {changed}", "good_exists: in statements.json, and no longer there"}
    assert expected <= set(rocq.differences(other))


@pytest.mark.slow
def test_an_axiom_that_slipped_in_is_seen(
    library: rocq.Library, copy: Path, tmp_path: Path
) -> None:
    """An axiom under a word that is not looked for would not be noticed: Rocq names it."""
    spoil(
        copy / "Headlines.v",
        "(* id: scores_conjugate *)",
        "Variable wrong : False.\n(* id: scores_conjugate *)",
    )
    spoil(copy / "Headlines.v", "Proof. exact: scores_conj. Qed.", "Proof. by case: wrong. Qed.")
    other = part(library, copy, "Headlines", tmp_path / "out")
    assert "scores_conjugate: not as in statements.json" in rocq.differences(other)
    assert "wrong" in other.headlines["scores_conjugate"].axioms
