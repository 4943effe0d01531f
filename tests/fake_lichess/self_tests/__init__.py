"""The fake lichess held against the published API and its own rules."""
