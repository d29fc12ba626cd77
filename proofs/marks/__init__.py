"""The marks, one a file: each checks a statement and returns evidence. bounds, inputs: numeric."""
