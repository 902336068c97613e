"""Live checks: the runner plays client against a server, or server against a client, over a relay of its own.

Nothing here stands on `session/`: what is put on the wire is built event by event, so that it can be wrong on purpose.
"""
