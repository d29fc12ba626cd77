"""The book: LaTeX, PDF and HTML, from the pages of theorems and of schemes."""
