"""The marks, one a file: each looks at a statement and says what its evidence states."""
