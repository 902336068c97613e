"""The only code with sockets, processes, clocks and randomness. Nothing here is loaded before it is needed."""
