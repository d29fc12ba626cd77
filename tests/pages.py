"""Pages for the tests of what is published: realistic, and with everything that is hard to set."""

from __future__ import annotations

from orderproof.check.page import (
    ClaimPage,
    Example,
    Formula,
    Line,
    Mark,
    Section,
    Table,
    TheoremPage,
)

DATE = "2026-11-21"


def f(latex: str) -> Formula:
    """A formula of which only the LaTeX is printed."""
    return Formula(latex, "")


def claim(latex: str, kind: str, scope: str, *marks: Mark, verdict: str = "proved") -> ClaimPage:
    """A claim that came out as declared."""
    return ClaimPage(f(latex), kind, scope, verdict, verdict, marks)


KERNEL = Mark("kernel", True, 0.01, "14 steps, law: monoid")
SYMPY = Mark("sympy", True, 0.7, "every σ for n ≤ 4; generators and composition to n = 8")
NUMERIC = Mark("numeric", True, 0.2, "float64 and float32, 200 inputs")

SUM_ACT = TheoremPage(
    id="sum_act",
    title="A sum does not care in which order it is taken",
    words=(
        (
            "Adding up the values at σ(j) for all j gives what adding up the values at j gives.",
            (0,),
        ),
    ),
    source="the one lemma",
    citations=(),
    given=f(r"\forall\, n,\ \sigma \in S_{n},\ a \in \mathbb{R}^{n}\colon"),
    where=(),
    sections=(Section("The rule", (Line(f(r"\sum_{j} a_{\sigma(j)}")),
                                   Line(f(r"\sum_{j} a_{j}"), ("σ is a bijection",)))),),
    claims=(claim(r"\sum_{j} a_{\sigma(j)} = \sum_{j} a_{j}", "equality", "all n", KERNEL,
                  Mark("smt", True, 0.05, "by induction, two solvers")),),
    neighbour=(f(r"\sum_{j} j\, a_{\sigma(j)} = \sum_{j} j\, a_{j}"),
               "The weight j knows its place: n = 2, a = (0, 1) and the swap give 1 and 2."),
    verdict="proved",
)  # fmt: skip

MAIN = TheoremPage(
    id="self_attention_equivariant",
    title="Self-attention commutes with every permutation σ: Z′ = P Z",
    words=(
        ("Permute the tokens, and the output rows are permuted alike.", (0, 1)),
        (
            'No row of the output is changed by it: "the" is "the" wherever it stands — and '
            "PᵀP = I is all that is used.",
            (),
        ),
    ),
    source="S1, its three steps; S0",
    citations=("vaswani2017", "s1", "chiang2023", "zaheer2017"),
    given=f(
        r"\forall\, n, d, d_{k}, d_{v},\ \sigma \in S_{n},\ X \in \mathbb{R}^{n \times d},\ W_{Q}, "
        r"W_{K} \in \mathbb{R}^{d \times d_{k}},\ W_{V} \in \mathbb{R}^{d \times d_{v}}\colon"
    ),
    where=(
        f(r"Q = X W_{Q}, \quad K = X W_{K}, \quad V = X W_{V}"),
        f(r"A = \operatorname{softmax}\left(\frac{Q K^{\top}}{\sqrt{d}}\right), \quad Z = A V"),
        f(r"X' = P X, \quad Q' = X' W_{Q}, \quad K' = X' W_{K}, \quad V' = X' W_{V}"),
    ),
    sections=(
        Section(
            "Queries, keys and values",
            (
                Line(f(r"Q'")),
                Line(f(r"(P X) W_{Q}"), ("by definition",)),
                Line(f(r"P (X W_{Q})"), ("a product with a weight matrix acts on each row",)),
                Line(f(r"P Q"), ("by definition",)),
            ),
        ),
        Section(
            "The attention weights",
            (
                Line(f(r"A'")),
                Line(
                    f(r"\operatorname{softmax}\left(\frac{(P Q)(P K)^{\top}}{\sqrt{d}}\right)"),
                    (f("Q' = P Q"), " and ", f("K' = P K"), ", from above"),
                ),
                Line(
                    f(
                        r"\operatorname{softmax}\left(P\, \frac{Q K^{\top}}{\sqrt{d}}\, "
                        r"P^{\top}\right)"
                    ),
                    ("(P K)ᵀ = Kᵀ Pᵀ",),
                ),
                Line(
                    f(
                        r"P\, \operatorname{softmax}\left(\frac{Q K^{\top}}{\sqrt{d}}\right) "
                        r"P^{\top}"
                    ),
                    (
                        "softmax_conjugate: the sum in the denominator runs over all columns, in "
                        "whatever order (sum_act)",
                    ),
                    f(
                        r"\frac{\exp S_{\sigma(i)\,\sigma(j)}}{\sum_{k} \exp S_{\sigma(i)\,"
                        r"\sigma(k)}} = \frac{\exp S_{\sigma(i)\,\sigma(j)}}{\sum_{k} "
                        r"\exp S_{\sigma(i)\,k}}"
                    ),
                ),
                Line(f(r"P A P^{\top}"), ("by definition",)),
            ),
        ),
        Section(
            "The output",
            (
                Line(f("Z'")),
                Line(f("A' V'"), ("by definition",)),
                Line(f(r"(P A P^{\top})(P V)"), ("the two sections above",)),
                Line(
                    f("(P A) V"),
                    ("PᵀP = I",),
                    f(
                        r"\sum_{j} A_{\sigma(i)\,\sigma(j)}\,V_{\sigma(j)\,r} = "
                        r"\sum_{j} A_{\sigma(i)\,j}\,V_{j\,r}"
                    ),
                ),
                Line(f("P (A V)"), ("products associate",)),
                Line(f("P Z"), ("by definition",)),
            ),
        ),
        Section(
            "The same with everything written out",
            (
                Line(
                    f(
                        r"\operatorname{softmax}\left(\frac{(P X W_{Q})(P X W_{K})^{\top}}"
                        r"{\sqrt{d}}\right)(P X W_{V})"
                    )
                ),
                Line(
                    f(
                        r"\left(P\,\operatorname{softmax}\left(\frac{(X W_{Q})(X W_{K})^{\top}}"
                        r"{\sqrt{d}}\right) P^{\top}\right)(P X W_{V}) + \sum_{j} \sum_{k} "
                        r"A_{\sigma(i)\,\sigma(j)}\,V_{\sigma(j)\,r} - \sum_{j} \sum_{k} "
                        r"A_{\sigma(i)\,\sigma(j)}\,V_{\sigma(j)\,r} = "
                        r"\exp(a_{1}) + \exp(a_{2}) + \exp(a_{3}) + \exp(a_{4}) + \exp(a_{5})"
                    ),
                    ("a formula that no line has room for",),
                ),
                Line(
                    f(
                        r"P\,\operatorname{softmax}\left(\frac{(X W_{Q})(X W_{K})^{\top}}"
                        r"{\sqrt{d}}\right)(X W_{V})"
                    ),
                    ("PᵀP = I",),
                ),
            ),
        ),
    ),
    claims=(
        claim(r"Z' = P Z", "equality", "all n, d, dₖ, dᵥ", KERNEL, SYMPY, NUMERIC),
        claim(r"\sum_{j} A_{i\,j} = 1", "equality", "all n ≥ 1", KERNEL, SYMPY),
        claim(
            r"\neg\ \forall\, X\colon\ Z(P X) = Z(X)", "not", "n = 2",
            Mark("exact", True, 0.0, "replayed in fractions: 1/3 ≠ 2/3"), verdict="refuted",
        ),
    ),
    neighbour=(
        f(r"Z' = P^{\top} Z"),
        "With a 3-cycle, P and Pᵀ differ; a swap alone would not have told them apart.",
    ),
    examples=(
        Example(
            "the cat chased the dog",
            (
                "The scores of “cat” as a multiset, and its weights; the repeated word counts "
                "twice.",
                Table(
                    ("token", "score", f(r"\exp"), "weight"),
                    (
                        ("the", f("0"), f("1"), f(r"\frac{1}{8}")),
                        ("cat", f(r"\ln 2"), f("2"), f(r"\frac{1}{4}")),
                        ("chased", f(r"\ln 2"), f("2"), f(r"\frac{1}{4}")),
                        ("the", f("0"), f("1"), f(r"\frac{1}{8}")),
                        ("dog", f(r"\ln 2"), f("2"), f(r"\frac{1}{4}")),
                    ),
                ),
                f(
                    r"Z_{\mathrm{cat}} = \tfrac{1}{4} V_{\mathrm{cat}} + \tfrac{1}{4} "
                    r"V_{\mathrm{chased}} + \tfrac{1}{4} V_{\mathrm{dog}} + \tfrac{1}{8} "
                    r"V_{\mathrm{the}} + \tfrac{1}{8} V_{\mathrm{the}}"
                ),
                Table(
                    ("sentence", "what the row of “cat” is, and why it did not change"),
                    (
                        ("the cat chased the dog", "The weighted sum above, in the order of the "
                         "tokens as they stand in the sentence."),
                        ("the dog chased the cat", "The same five summands in another order, hence "
                         "the same vector; it is now the fifth row."),
                    ),
                ),
                f(
                    r"\operatorname{place}(\mathrm{cat}) = \begin{cases} 2 & \text{in the first "
                    r"sentence} \\ 5 & \text{in the second} \end{cases} \qquad P = "
                    r"\begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}"
                ),
            ),
        ),
    ),
    uses=("sum_act", "softmax_conjugate"),
    verdict="proved",
)  # fmt: skip

OPEN = TheoremPage(
    id="not_equivariant_of_learned_position",
    title="A learned position table breaks it",
    words=(
        (
            "If two rows of the table differ, some weights and some input tell the orders apart.",
            (0,),
        ),
    ),
    source="Vaswani et al., section 3.5; 50% & more_than_that #1 {sic} ~x^2 \\ <b>bold</b>",
    citations=("vaswani2017", "mcilroyyoung2024", "s0"),
    given=f(r"\exists\, X, W_{Q}, W_{K}, W_{V}\colon"),
    where=(),
    sections=(),
    claims=(
        ClaimPage(
            f(r"\operatorname{Att}(P X + E) \neq P \operatorname{Att}(X + E)"),
            "exists", "n = 2, d = 1", "proved", "open",
            (Mark("exact", None, 9.0, "no witness within the bound"),),
        ),
    ),
    neighbour=(f(r"E = 0"), "Nothing is added then."),
    examples=(
        Example(
            "many columns and many rows",
            (
                Table(
                    tuple(f(f"x_{{{i}}}") for i in range(16)),
                    tuple(tuple(f(rf"\frac{{{i}}}{{{j + 1}}}") for j in range(16))
                          for i in range(5)),
                ),
                Table(("i", "what"), tuple((str(i), "a row among many") for i in range(40))),
            ),
        ),
    ),
    verdict="open",
)  # fmt: skip

PAGES = (
    SUM_ACT,
    MAIN,
    OPEN,
)  # a lemma, the main theorem, and one that did not come out as declared
