"""Terms and the kernel: all that a mark *kernel* asks to be trusted. Standard library alone."""
