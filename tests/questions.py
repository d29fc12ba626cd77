"""Pages of questions about small models, with what `decide` answers: docs/questions.md, what people
asked in public, and docs/who_sees_whom.md, how rows come to see what they should not.

python -m tests.questions docs
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from orderproof.command_line import cli
from tests.models.leaks import BY_NAME

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
    """A question, where it was asked ("": nowhere that we know), our model of it, what is asked of
    the tool, what it means."""

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


WHO_SEES_WHOM = """\
# Who sees whom: does row i of the output depend on row j of the input?

`orderproof decide model.onnx --ask …` asks that of your file. `causal`: does a token depend on
later ones? `isolated`: a request on others of its batch? `padding`: the output on tokens that a
mask hides? `documents`: a token on those of another document in its sequence? Each is asked of the
*contents* of those rows, and along a dynamic axis of their *number*: do the other rows alone give
the same?

**DEPENDS** comes with a counterexample: your file was run on two inputs, and what should be the
same differs by more than rounding. **NO DEPENDENCE SEEN** sums up what was tried: *seen nothing is
no proof*. **UNKNOWN** says what kept it from an answer ([more](decide.md)). In a clone with the
extra `onnx`, `python3 -m tests.models.leaks . NAME` writes the model NAME.onnx, which we made, as
used here. `make readme` writes this page. Where there is no `--n`, several sizes are tried, the
smallest first.
"""

BUGS = (
    Question(
        "A causal mask is off by one",
        "",
        "The loss in training falls too low to be true, and what the model then generates is poor: "
        "in training it could read the word that it had to predict.",
        "causal_tril_off_by_one",
        "--ask causal --axis x:1 --n 4",
        "The mask is a `tril` whose diagonal is 1 in place of 0 (or a `triu` of what is cut off, "
        "with 2 in place of 1). So each token has a `!` at the next token and at no later one. The "
        "first token alone gives another output than at the head of four, so their number is seen "
        "too. The repair is the diagonal 0; the last section has it.",
    ),
    Question(
        "`batch_first` is forgotten, and requests mix",
        "https://github.com/dhimasryan/MOSA-Net-Cross-Domain/issues/10",
        "What a model says of one request changes with the other requests of the batch. Nothing "
        "fails, as all shapes fit.",
        "isolated_attention_exchanged",
        "--ask isolated --axis x:0 --n 3",
        "PyTorch's `nn.MultiheadAttention` takes (sequence, batch, features) unless it is made "
        "with `batch_first=True`. Given (batch, sequence, features), it attends along the batch. "
        "So each request has a `!` at every other one. The repair is `batch_first=True`, or to "
        "exchange the two axes before and after.",
    ),
    Question(
        "A mean is taken over padding",
        "https://github.com/huggingface/transformers/issues/17463",
        "The embedding of a sentence is another one when a longer sentence is in the same batch, "
        "though the mask was given to the model.",
        "padding_mean_of_all",
        "--ask padding --axis x:1 --mask mask:1 --n 3",
        "Attention hides the padding, and the mean behind it does not. Our model is such a mean: "
        "its sum is over all tokens, and only the count is of real ones. (`padding_mean_by_all` "
        "has the right sum and divides by all: that is seen in the number alone. A plain mean does "
        "both.) The repair is to multiply by the mask before the sum, and to divide by the sum of "
        "the mask.",
    ),
    Question(
        "Packed documents see each other",
        "https://github.com/unslothai/unsloth/issues/1207",
        "Short samples are packed into one sequence, and the model that is trained on them is "
        "worse than one trained without packing. Does a sample attend to those before it?",
        "documents_causal_mask_only",
        "--ask documents --axis x:1 --ids ids:1 --n 4",
        "The mask is causal and does not use the ids of documents. So the tokens of the second "
        "document have a `!` at the token of the first. Without the documents behind it a document "
        "gives the same, as the mask hides what is behind: the number is not seen. The repair is "
        "to hide, as well, each token that has another id.",
    ),
    Question(
        "One scale of quantisation for the whole batch",
        "https://github.com/microsoft/onnxruntime/issues/10111",
        "After dynamic quantisation, predictions change with the size of the batch.",
        "isolated_quantised_one_scale",
        "--ask isolated --axis x:0 --n 3",
        "`DynamicQuantizeLinear` takes one scale and one zero point from all requests, so the "
        "largest values of one decide how those of another are rounded. The change is small, and "
        "larger than what rounding of floats explains. The repair is a scale for each row "
        "(`isolated_quantised`), or one that is fixed beforehand. A batch norm that uses the "
        "statistics of the batch does the same on a larger scale (`isolated_norm_of_batch`).",
    ),
    Question(
        "The answer about a repaired model",
        "",
        "This is the first model with the diagonal 0. The options of its command are those for CI.",
        "causal_tril",
        "--ask causal --axis x:1 --expect independent --accept-unseen",
        "The exit status is 0. It is 3 without `--accept-unseen`, for seen nothing is no proof, "
        "and 1 where a dependence is found. In tests, `assert_causal`, `assert_batch_independent` "
        "and `assert_padding_ignored` ask it of functions, torch modules and files ([in your "
        "tests](in_your_tests.md)).",
    ),
)


@dataclass(frozen=True)
class Page:
    """A page in docs/: its name, its head, what a link is called, and its questions."""

    name: str
    head: str
    cited: str
    questions: tuple[Question, ...]

    def text(self) -> str:
        """The whole page."""
        parts = [self.head]
        for k, q in enumerate(self.questions, 1):
            ours = f"{q.model}.onnx"
            made = f"`{ours}`" if q.model in BY_NAME else f"[{ours}](../{MODELS}/{ours})"
            cited = f"[{self.cited}]({q.link}); " if q.link else ""
            parts.append(
                f"## {k}. {q.title}\n\n{q.asked} ({cited}our model: {made})\n\n"
                f"```text\n$ orderproof {command(q)}\n{answer(q)}\n```\n\n{q.means}\n"
            )
        return "\n".join(parts)


PAGES = (
    Page("questions.md", ABOUT, "asked here", QUESTIONS),
    Page("who_sees_whom.md", WHO_SEES_WHOM, "reported here", BUGS),
)


def command(q: Question) -> str:
    """The command that is asked; a model that is not a file in the clone is in the current
    folder."""
    folder = "" if q.model in BY_NAME else f"{MODELS}/"
    return f"decide {folder}{q.model}.onnx {q.options}"


def answer(q: Question) -> str:
    """What the command prints; ValueError where its status is not 0."""
    with TemporaryDirectory() as folder:
        made = q.model in BY_NAME
        file = BY_NAME[q.model].write(Path(folder)) if made else ROOT / MODELS / f"{q.model}.onnx"
        done = CliRunner().invoke(cli, ["decide", str(file), *q.options.split()])
    if done.exit_code != 0:
        raise ValueError(f"{command(q)}: {done.output.strip() or done.exception}")
    return done.output.strip()


def without_measured(text: str) -> str:
    """The text but for what was measured in floats: it may be another on another machine."""
    text = re.sub(r"^    in float\d+, at .*\n(      .*\n)*", "", text, flags=re.MULTILINE)
    return re.sub(r"\(rounding:\s+[\d.e+-]+\)", "(rounding)", text)


if __name__ == "__main__":
    for page in PAGES:
        (Path(sys.argv[1]) / page.name).write_text(page.text(), encoding="utf-8")
