"""Games at lichess and on disk.

================  ===================================================================================
lichess_games.py  requests for finished games, TV, studies, tournaments and broadcasts
game_files.py     fetched games as PGN files, and indexing them into the library
live_rounds.py    running rounds of broadcasts, followed by a stream for each broadcast
================  ===================================================================================
"""
