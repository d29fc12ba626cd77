"""The Rocq development: compiled once, compared word for word, and fooled on purpose."""

import re
import shutil
from pathlib import Path

import pytest

from orderproof.proofs import rocq_library as rocq
from orderproof.proofs.catalogue import IDS

pytestmark = pytest.mark.slow
PYTHON_ONLY = {"not_equivariant_of_sinusoidal_position", "naturality"}
ROCQ_ONLY = {
    "multi_head_equivariant",
    "row_wise_equivariant",
    "encoder_block_equivariant",
    "encoder_equivariant",
    "pooling_invariant",
    "bag_of_words",
    "kernel_attention_equivariant",
    "mask_transport",
    "additive_position_iff",
    "score_bias_iff",
    "causal_last_token_invariant",
    "two_causal_layers_see_order",
}


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> rocq.Library:
    """The development as it stands, compiled."""
    if not rocq.installed():
        pytest.skip("coqc with MathComp is not installed")
    return rocq.compile(tmp_path_factory.mktemp("rocq"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the sources, to spoil."""
    return Path(shutil.copytree(rocq.SOURCES, tmp_path / "sources"))


def spoil(path: Path, old: str, new: str) -> None:
    """Change one place of a file."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_as_recorded(library: rocq.Library) -> None:
    """A statement or a definition changed, and its record did not."""
    assert rocq.differences(library) == []


def test_nothing_is_assumed(library: rocq.Library) -> None:
    """A theorem rests on an axiom or on an admitted lemma."""
    assert {h.assumptions for h in library.headlines.values()} == {rocq.CLOSED}


def test_ids_match_the_catalogue() -> None:
    """A theorem of the book has no Rocq counterpart, or the other way round, unannounced."""
    names = set(rocq.ids((rocq.SOURCES / "Headlines.v").read_text()))
    assert names - set(IDS) <= ROCQ_ONLY
    assert set(IDS) - names <= PYTHON_ONLY


def test_admitted_is_refused(copy: Path, tmp_path: Path) -> None:
    """coqc exits 0 on Admitted: it would be taken for a proof."""
    spoil(copy / "Attention.v", "Proof. exact: mxE. Qed.", "Admitted.")
    with pytest.raises(rocq.RocqError, match=r"Attention\.v: Admitted"):
        rocq.compile(tmp_path / "out", sources=copy)


def test_theorem_that_lost_its_id_is_refused(copy: Path) -> None:
    """A theorem is removed or renamed while its id stays."""
    spoil(copy / "Headlines.v", "Theorem scores_conjugate", "Theorem scores_conjugated")
    with pytest.raises(rocq.RocqError, match="scores_conjugate"):
        rocq.ids((copy / "Headlines.v").read_text())


def test_changed_statement_is_seen(library: rocq.Library, copy: Path, tmp_path: Path) -> None:
    """A weakened statement, still provable, would pass."""
    text = (copy / "Headlines.v").read_text()
    weaker = re.sub(
        r"\(n m d : nat\)|n m d \(s : 'S_n\) \(t : 'S_m\)\n    \(Q",
        "n m (d := 1%N) (s : 'S_n) (t : 'S_m)\n    (Q",
        text,
        count=1,
    )
    assert weaker != text
    (copy / "Headlines.v").write_text(weaker)
    other = rocq.compile(tmp_path / "out", sources=copy)
    assert rocq.differences(other) == ["scores_conjugate: not as recorded"]
