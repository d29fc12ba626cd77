"""The exact symmetry group of a matrix, a mask or a scheme, and witnesses outside it."""
