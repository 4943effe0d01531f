"""Fake lichess on loopback: a server with the published API, its own clock, scripted players and injected faults."""
