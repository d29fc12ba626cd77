"""What permuting the tokens does to any function on arrays, measured: an estimate, no proof."""
