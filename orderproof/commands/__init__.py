"""The commands of the command line that need a file of their own."""
