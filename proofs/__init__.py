"""The book's theorems, one a file, each a script; beside them the catalogue and the references."""
