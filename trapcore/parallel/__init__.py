"""Work on several threads or machines, and what it may cost.

===============  ==============================================================
budget.py        budget of a question (nodes, depth, time) and its cancellation
pools.py         work done by threads, or elsewhere, with its results in order
dask_cluster.py  the same by a Dask cluster
arenas.py        memory of a process with many threads
===============  ==============================================================
"""
