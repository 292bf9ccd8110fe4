"""The command line: one command a file, thin; heavy imports stay inside the commands."""
