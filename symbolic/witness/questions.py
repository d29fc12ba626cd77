"""What may be asked about rows of an output that depend on rows of an input: `decide --ask`."""

QUESTIONS = {  # by their names for --ask
    "causal": "no row should depend on a later one",
    "isolated": "no request should depend on another",
    "padding": "nothing should depend on what a mask hides",
    "documents": "no row should depend on one of another document",
}
