"""Games at lichess, at chess.com and on disk.

=================  ===================================================================================
lichess_games.py   requests for finished games, TV, studies, tournaments and broadcasts
chesscom_games.py  requests for the finished games that chess.com publishes
game_files.py      fetched games as PGN files, and indexing them into the library
months.py          fetched games of a month, joined in one file
live_rounds.py     running rounds of broadcasts, followed by a stream for each broadcast
=================  ===================================================================================
"""
