"""Hundreds of games of the real bot against the server of the tests, under faults, with every promise counted."""
