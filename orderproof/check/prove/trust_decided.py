"""What must be believed about a decided model: one text for docs/trust.md, the site and the
book.
"""

from __future__ import annotations

from orderproof.symbolic.onnx import roundings

from .trust import Trust

TITLE = "What must be believed about a decided model"
ABOUT = (
    "orderproof decide answers questions about a model that is a file of ONNX, not a term that "
    "stands in this project. An answer rests on these parts; which of them it used is in its "
    "report."
)
DECIDED = (
    Trust(
        "the file",
        "The package onnx reads the file; its SHA-256 stands in every answer. Of the file the "
        "graph is used, with its operators as their specification has them.",
        "That onnx reads the file as the program that runs the model does, and that what is "
        "deployed is this file.",
    ),
    Trust(
        "the translation",
        "The graph is read into a term of the calculus, operator by operator. Its value is "
        "compared with what onnxruntime computes from the file, at several sizes, which are unlike "
        "every fixed dimension, with the weights of the file and with random ones. Where they "
        "disagree, or onnxruntime is missing, nothing is called proved.",
        "The translation. The comparisons are evidence, not proof: they are made at some sizes and "
        "for some inputs.",
    ),
    Trust(
        "the theorem",
        "That the output follows σ, or does not change, for every size of the axis, all inputs and "
        "all weights, under the hypotheses that are printed.",
        "The constructors and the rules of the calculus, two short files; or, where the "
        "certificate of the derivation was given to it, Rocq's kernel instead of the rules.",
    ),
    Trust(
        "the constants",
        "A hypothesis says that a constant of the model (a mask, a bias, a table of positions) is "
        "not changed by σ. The constant is computed at the sizes that the answer lists, and every "
        "entry is compared.",
        "onnxruntime, for the constant at each of these sizes.",
    ),
    Trust(
        "real numbers",
        "Theorem and enclosed refutation are about real numbers: the sums, products and functions "
        "of the graph, computed exactly. A measured refutation is about what onnxruntime computes.",
        "Nothing about floating point. A model that is equivariant gives, in floats, outputs that "
        "differ by rounding: the order of a sum is changed.",
    ),
    Trust(
        "a refutation: enclosed",
        "An input, a permutation (of who sees whom: other rows) and an entry at which both sides, "
        "the model's term in balls, are "
        "apart by more than ten times what the term and onnxruntime differ by there.",
        "The translation and the ball arithmetic of python-flint, or else onnxruntime: only where "
        "both say the same is a counterexample called enclosed.",
    ),
    Trust(
        "a refutation: measured",
        "The same input and entry, where the model has no term or a large one: onnxruntime has the "
        "sides apart in float32 and in float64, in two draws or more, if as many ran. "
        f"{roundings.sentence()}",
        "onnxruntime, and the thresholds. What the two sides are is computed without the "
        "translation, so an error of it does not make them differ.",
    ),
    Trust(
        "no dependence seen",
        "Of who sees whom: in the runs that were made, rows that should not be seen had other "
        "contents, and no number that is compared changed; or they were left out, and none changed "
        "beyond the same thresholds.",
        "Nothing is proved: another input, or another number of rows, may show a dependence.",
    ),
)
