"""docs/questions.md: what people asked in public, and what `decide` answers about small models.

python -m tests.questions docs/questions.md
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from orderproof.cli import cli

ROOT = Path(__file__).resolve().parents[1]
MODELS = "tests/models"
ABOUT = """\
# Ten questions that people asked, answered by `decide`

Each was asked in public and answered there by opinion, or not at all. The models are
[ours](../tests/models/README.md), made from the description alone: a few layers with random
weights, small enough to be kept. They show what is asked, not what the named programs do; ask about
your own file in the same way. What each word of an answer means is in [decide.md](decide.md).

This page is written by `make readme`: every answer is what the command prints.
"""


@dataclass(frozen=True)
class Question:
    """A question, where it was asked, our model of it, what is asked of the tool, what it means."""

    title: str
    link: str
    asked: str
    model: str
    options: str  # of the command
    means: str


QUESTIONS = (
    Question(
        "Are the frames of a scene interchangeable?",
        "https://github.com/facebookresearch/vggt/issues/88",
        "A model over the frames of a scene is said to treat all frames but the first alike. Its "
        "outputs differ a little when frames change places: is that a bug?",
        "asked_frames",
        "--axis x:1",
        "It is as said: exactly the permutations that leave the first frame in its place. What "
        "differs under one of these is rounding; under any other it is the model.",
    ),
    Question(
        "Is graph attention invariant?",
        "https://github.com/danielegrattarola/spektral/issues/114",
        "A pooled graph network gave another output for another order of the nodes. Should it?",
        "asked_graph_pooled",
        "--axis x:0",
        "It is invariant if the adjacency matrix is permuted with the nodes, rows and columns. "
        "With the features alone, or the rows alone, the input is another graph.",
    ),
    Question(
        "Why does a graph token break invariance?",
        "https://github.com/rampasek/GraphGPS/issues/40",
        "With a token for the whole graph, sorted to its end by a sort that is not stable, the "
        "output came to depend on the order of the nodes.",
        "asked_graph_sorted",
        "--axis x:0 --with adjacency:0 --with adjacency:1",
        "What is left is what commutes with the reordering that the sort does (here it reverses). "
        "A stable sort, or none, leaves all permutations. The tie is where the model compares the "
        "adjacency matrix with 0.",
    ),
    Question(
        "Do PointNet's convolutions see the order of the points?",
        "https://github.com/charlesq34/pointnet/issues/55",
        "PointNet is made of convolutions, and convolutions look at neighbours. How can it be "
        "invariant?",
        "pointnet",
        "--axis x:2",
        "Its kernels have size 1, so that each point is mapped by itself. With a kernel of 3 "
        "(`conv_3_same.onnx`) the answer is NOT EQUIVARIANT, and order enters at the convolution.",
    ),
    Question(
        "Is attention over points invariant, or only with max pooling?",
        "https://github.com/MenghaoGuo/PCT/issues/5",
        "A transformer for point clouds is called permutation invariant. By its attention, or by "
        "the pooling behind it?",
        "asked_point_attention",
        "--axis x:1",
        "By the pooling: the features of the points move with the points, and their maximum stays.",
    ),
    Question(
        "Is it enough to leave the positions out?",
        "https://github.com/juho-lee/set_transformer/issues/10",
        "The Set Transformer has no positions, but layers of its own. Is it invariant by that?",
        "set_transformer_pma",
        "--axis x:1",
        "Yes, with its pooling by attention; without the pooling (`set_transformer_isab.onnx`) it "
        "is equivariant. Its inducing points are weights: they have no axis of elements.",
    ),
    Question(
        "Does DETR's decoder see the order of the memory?",
        "https://github.com/facebookresearch/detr/issues/70",
        "The decoder attends to the encoder's output. Does it matter in which order that comes?",
        "detr_positions_given",
        "--axis x:1",
        "No, if the positions of the memory move along with it: they are an input here. If they "
        "are a table in the model (`detr_positions_table.onnx`), it does.",
    ),
    Question(
        "Is AttentionNeuron still invariant once it has a state?",
        "https://github.com/google/brain-tokyo-workshop/issues/43",
        "An agent reads its senses in any order. Each sense has a recurrent state: what becomes of "
        "the invariance when the senses are shuffled during an episode?",
        "asked_senses",
        "--axis x:1 --output y",
        "The states have to be shuffled in the same way; `y` is then the same. Shuffled alone, a "
        "sense meets the state of another.",
    ),
    Question(
        "Does the order of a batch matter to a solver with adaptive steps?",
        "https://github.com/rtqichen/torchdiffeq/issues/277",
        "The step is chosen by an error over the whole batch, so examples do see each other. Do "
        "results depend on the order, too?",
        "asked_adaptive_steps",
        "--axis x:0",
        "No: examples see each other as a set, not in an order. *Which* other examples there are "
        "can still matter: this answer does not say that it cannot.",
    ),
    Question(
        "Without positions, how can “AB” and “BA” predict different next words?",
        "https://datascience.stackexchange.com/questions/122865/"
        "what-does-it-mean-order-of-input-sequence-does-not-matter-for-transformer-self-a",
        "Self-attention without positions is said not to see order. Yet the next word is read at "
        "the last token, and that is another word in “BA”.",
        "asked_next_word",
        "--axis ids:1",
        "Both are right. All outputs move with their tokens; who reads *the last one* picks a "
        "place, and is blind only to the order of the tokens before it.",
    ),
)


def command(q: Question) -> str:
    """The command that is asked."""
    return f"decide {MODELS}/{q.model}.onnx {q.options}"


def answer(q: Question) -> str:
    """What the command prints, from the root of the repository."""
    name, file, *options = command(q).split()
    done = CliRunner().invoke(cli, [name, str(ROOT / file), *options])
    if done.exit_code != 0:
        raise ValueError(f"{command(q)}: {done.output.strip() or done.exception}")
    return done.output.strip()


def without_measured(text: str) -> str:
    """The text but for what was measured in floats: it may be another on another machine."""
    return re.sub(r"^    in float\d+, at .*\n(      .*\n)*", "", text, flags=re.MULTILINE)


def page() -> str:
    """The whole page."""
    parts = [ABOUT]
    for k, q in enumerate(QUESTIONS, 1):
        parts.append(
            f"## {k}. {q.title}\n\n{q.asked} ([asked here]({q.link}); our model: "
            f"[{q.model}.onnx](../{MODELS}/{q.model}.onnx))\n\n"
            f"```text\n$ orderproof {command(q)}\n{answer(q)}\n```\n\n{q.means}\n"
        )
    return "\n".join(parts)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
