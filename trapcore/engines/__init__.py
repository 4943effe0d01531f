"""UCI engines as processes.

=============  =======================================================================
process.py     one engine: start, options, restart rule, time limit, error text
uci_engine.py  engine that evaluates positions
=============  =======================================================================
"""
