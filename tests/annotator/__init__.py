"""Annotator."""
