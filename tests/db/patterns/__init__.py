"""Patterns of losing moves."""
