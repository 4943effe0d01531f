"""Experiments: what was measured or fitted once, by a command that anyone can run again."""
