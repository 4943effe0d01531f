"""Fuzz targets: mutations of small samples, by seeded chance, put where input from others arrives.

Each runs two seconds in the usual tests; ``FUZZ_SECONDS=3600`` has it search for an hour. What a target found
once, and what others tried by hand, lies in ``corpus/TARGET/`` and is tried before anything else.
"""
