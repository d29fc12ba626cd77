"""orderproof: what attention sees of the order of its tokens, derived and checked."""

from importlib.metadata import version

__version__ = version("orderproof")
