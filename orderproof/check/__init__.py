"""A claim, a theorem file and its page as data, and small cases of a statement."""
