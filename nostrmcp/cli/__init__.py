"""The command line: argument parsing, and nothing else that another program could want."""
