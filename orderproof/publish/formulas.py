"""Shim."""

from orderproof.publish.book.formulas import formulas


def printed(x):
    return x.printed()
