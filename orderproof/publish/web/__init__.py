"""The web edition: a static site of theorems and schemes, from the objects that were checked."""
