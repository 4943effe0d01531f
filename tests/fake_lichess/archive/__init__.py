"""Finished games, studies, tournaments and broadcasts of the fake lichess."""
