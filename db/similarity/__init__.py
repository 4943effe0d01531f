"""Similarity of positions and killers to the traps of a library.

==================  ==============================================================
explanation.py      lines of moves, and what two killers have in common, as values
stored_index.py     an index of token sets, kept in files beside the library
killer_index.py     index of the killers, in such files
annotator_index.py  weights in use, and the index as the annotator takes it
proof_here.py       proof that the killer of a similar trap works in a position
nearest_traps.py    traps most similar to a position, by each measure
index_cache.py      indexes of an open library, opened once for each of its states
common_features.py  features that a killer shares with that of a known trap
propose.py          what wins and what loses in a position, with proof and explanation
train.py            weights learned from the library's own traps
==================  ==============================================================
"""
