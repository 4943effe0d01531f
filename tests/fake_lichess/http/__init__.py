"""Requests and answers of the fake lichess."""
