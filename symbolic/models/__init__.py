"""Terms for people: builders, names, attention and its variants. They conclude nothing."""
