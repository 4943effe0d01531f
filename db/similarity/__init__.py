"""Similarity."""
