"""Words and formulas as LaTeX: every character is mapped, or is an error that names it."""

from __future__ import annotations

import re
from unicodedata import decomposition

from markupsafe import Markup

# Letters that T1-encoded Latin Modern has under their own code.
_LETTERS = frozenset(
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"
    "ĂăĄąĆćČčĎďĐđĘęĚěĞğĹĺĽľŁłŃńŇňŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž"
)
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
    "\u00a0": "~", "–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''",
    "…": r"\dots{}", "§": r"\S{}", "°": r"\textdegree{}", "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}", "†": r"\dag{}", "‑": r"\mbox{-}",
}  # fmt: skip
_MATH = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon",
    "ζ": r"\zeta", "η": r"\eta", "θ": r"\theta", "ι": r"\iota", "κ": r"\kappa",
    "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho",
    "σ": r"\sigma", "τ": r"\tau", "υ": r"\upsilon", "φ": r"\varphi", "χ": r"\chi",
    "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta",
    "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi",
    "Ω": r"\Omega", "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}",
    "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "ℓ": r"\ell", "≠": r"\neq", "≤": r"\leq",
    "≥": r"\geq", "≈": r"\approx", "≡": r"\equiv", "∼": r"\sim", "≪": r"\ll", "≫": r"\gg",
    "→": r"\to", "←": r"\gets", "↔": r"\leftrightarrow", "↦": r"\mapsto", "⇒": r"\Rightarrow",
    "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow", "∀": r"\forall", "∃": r"\exists",
    "∈": r"\in", "∉": r"\notin", "⊆": r"\subseteq", "⊂": r"\subset", "∪": r"\cup",
    "∩": r"\cap", "∅": r"\emptyset", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee",
    "⊢": r"\vdash", "⊤": r"\top", "⊥": r"\bot", "∞": r"\infty", "∑": r"\sum", "∏": r"\prod",
    "√": r"\surd", "∂": r"\partial", "∇": r"\nabla", "×": r"\times", "÷": r"\div",
    "·": r"\cdot", "∘": r"\circ", "⊕": r"\oplus", "⊗": r"\otimes", "⊙": r"\odot",
    "±": r"\pm", "−": "-", "⟨": r"\langle", "⟩": r"\rangle", "‖": r"\Vert", "′": r"{}'",
    "″": r"{}''", "ᵀ": r"{}^{\top}", "⁻": r"{}^{-}", "⁺": r"{}^{+}",
    "½": r"\tfrac{1}{2}", "✓": r"\checkmark", "✗": r"\times",
}  # fmt: skip
_MATH |= {
    c: f"{{}}{'^' if kind == '<super>' else '_'}{{{chr(int(letter, 16))}}}"
    for c in "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸ₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
    for kind, letter in [decomposition(c).split()]
}


class UnknownCharacter(ValueError):
    """A character that the LaTeX book has no way to set."""


def unknown(c: str, text: str) -> UnknownCharacter:
    """The error for a character that is in a text."""
    return UnknownCharacter(f"no LaTeX for {c!r} (U+{ord(c):04X}) in {text!r}")


def curly(text: str) -> str:
    """Straight double quotes and apostrophes as typographic ones; small equations unbroken."""
    text = re.sub(r'(^|[\s(\[{—–/-])"', r"\1“", text)
    text = re.sub(r"\b(\w{1,3}) ([=≠<≤>≥]) (?=\S)", "\\1\u00a0\\2\u00a0", text)  # n = 2, whole
    text = re.sub("(\u00a0=\u00a0\\w+)\u00a0(?==)", r"\1 ", text)  # k = m = 2, before the second =
    return text.replace('"', "”").replace("'", "’")


# Σ_{i ≥ j}; P_σ, d_k, W_Q in words, of which an identifier such as sum_act is none; letters that
# stand for tensors, sizes and indices, and P X, P E; A and I where a product, a transpose or a
# relation follows.
MATHEMATICS = re.compile(
    r"([A-Za-zΑ-ω])_\{([^{}]*)\}"
    r"|(?<![A-Za-z0-9_])([A-Za-zΑ-ω])_([A-Za-z0-9Α-ω])(?![A-Za-z0-9_])"
    r"|((?<![A-Za-zÀ-ž0-9_’'.-])"
    r"(?:P[XEe]|[B-HJ-Zb-hj-z]|[AI](?=[ᵀ′]|\u00a0?[ ]?[=≠]|[ ][BVWXP]\b)|i)"
    r"(?![A-Za-zÀ-ž0-9_’'-]|\.\w)|[α-ω])"
)


def words(text: str) -> Markup:
    """Plain text as LaTeX text; letters that are mathematics as such."""
    text, out, last = curly(text), "", 0
    for m in re.finditer(MATHEMATICS, text):
        letters = r"\,".join(_MATH.get(c, c) for c in m[1] or m[3] or m[5])
        below = f"_{{{_below(m[2] or m[4], text)}}}" if m[2] or m[4] else ""
        out += f"{_characters(text[last : m.start()])}${letters}{below}$"
        last = m.end()
    out += _characters(text[last:])
    return Markup(re.sub(r"(?<!\\)\$\$", " ", out))  # not that of \$$x$


def _below(index: str, text: str) -> str:
    """An index, as σ or i ≥ j."""
    for c in index:
        if c not in _MATH and c != "\u00a0" and (c in _SPECIAL or not " " <= c <= "~"):
            raise unknown(c, text)
    return "".join(f"{_MATH[c]} " if c in _MATH else c for c in index).replace("\u00a0", "").strip()


def _characters(text: str) -> str:
    out = []
    for c in text:
        if c in _SPECIAL:
            out.append(_SPECIAL[c])
        elif c in _MATH:
            out.append(f"${_MATH[c]}$")
        elif c == "-" and out and out[-1] == "-":
            out.append("{}-")  # an option's two hyphens, which TeX would join to a dash
        elif c in "\n\t" or " " <= c <= "~" or c in _LETTERS:
            out.append(c)
        else:
            raise unknown(c, text)
    return "".join(out)


def code(text: str) -> Markup:
    """An identifier or a path in typewriter letters, broken after an underscore or a slash."""
    broken = re.sub(r"(\\_|/)", r"\1\\allowbreak{}", words(text))
    return Markup(r"\texttt{{{}}}").format(Markup(broken))
