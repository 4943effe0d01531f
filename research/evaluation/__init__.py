"""How good the proposals, the names and the confidence are, on positions that they were not learned from."""
