"""What a tool call is: what it is for, what it is about, and the programs of a command line."""
