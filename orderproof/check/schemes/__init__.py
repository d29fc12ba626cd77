"""Position schemes against symmetries: every cell proved, refuted or not applicable."""
