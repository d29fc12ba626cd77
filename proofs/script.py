"""A theorem file as a script: check that one theorem and print its LaTeX derivation.

    python -m orderproof.proofs.self_attention_equivariant
"""
from importlib import import_module
from .claims import check
def main(spec):
    page=check(import_module(spec.name).theorem()); print(page)
