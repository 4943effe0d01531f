"""Tests of what is written into a PGN, and where."""
