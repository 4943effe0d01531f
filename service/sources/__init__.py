"""What games come from, one a file. Each has a function ``fetch`` that brings what is new into the depot.

What lichess refuses is a problem of that one source, said in a sentence; the others go on.
"""
