"""The one error of all readings: a term, a table or a tensor that cannot be read."""


class ReadingError(ValueError):
    """A term that a reading cannot interpret: names the part, and what the reading can read."""
