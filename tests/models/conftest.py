"""make/ needs PyTorch: nothing in it is collected."""

collect_ignore = ["make"]
