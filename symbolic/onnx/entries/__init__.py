"""Constants of a graph, read as expressions for their entries at any indices and sizes."""
