"""Training of the search's network on the values of an engine's network.

============  ======================================================================
teacher.py    the network of the installed engine, as a file
train.py      gradient descent, and the weights as the core reads them
============  ======================================================================
"""
