"""Lives on lichess: will play, warn where the rules allow it, and do the night work. Empty so far."""
