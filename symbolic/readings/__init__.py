"""What terms mean to each engine, and how they print. A reading imports no search and no mark."""
