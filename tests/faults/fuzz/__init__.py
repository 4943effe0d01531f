"""Fuzz targets: mutations of small samples, by seeded chance, put where input from others arrives.

Each runs two seconds in the usual tests; ``TRAPLINE_FUZZ_SECONDS=3600`` has it search for an hour. What a target found
once lies in ``corpus/TARGET/`` and is tried before anything else.
"""
