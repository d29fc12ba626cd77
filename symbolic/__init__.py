"""The calculus, what is stated in it, and what may conclude. Imports neither proofs nor numeric."""
