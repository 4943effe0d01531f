"""Trapcore."""
