"""Moves."""
