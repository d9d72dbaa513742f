"""What the command line takes: the parser, the types of its arguments, and completion scripts made from it."""
