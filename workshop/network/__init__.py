"""Training of the search's network on an engine's values.

============  ======================================================================
label.py      training positions near those of games, each with an engine's value
train.py      gradient descent, and the weights as the core reads them
============  ======================================================================
"""
