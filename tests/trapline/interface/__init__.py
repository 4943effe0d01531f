"""Tests of the Python interface, ``import trapline``."""
