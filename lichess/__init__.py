"""Lichess."""
