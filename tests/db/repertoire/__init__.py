"""Tests of trap repertoires."""
