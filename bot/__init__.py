"""The lichess bot: plays games, sets traps, comments on them for spectators and sums them up afterwards.

=================  ===================================================================================
settings.py        the table ``[bot]`` of the settings
saved_state.py     what survives a restart: a file for each running game and one for the bot
health.py          health endpoint on the loopback interface, with the latency of the moves
control/           what the owner asks of a running bot, and tells it to do
moves/             choosing moves: search, books, tablebases, the trap book, time management
chat/              chat messages and the threads that send them
challenges/        accepting challenges, and challenging other bots
finished_games.py  what is left to do for games that are over
game_archive.py    finished games as annotated PGN files, and indexing them into the library
game_state.py      state of one game as a value, and what each event changes in it
game_context.py    what all games of the bot share
game_list.py       running games that lichess lists, so that no game is lost
game_requests.py   requests of one game besides its moves
game_runner.py     one running game: its stream and its decisions
bot.py             the whole bot: the account's stream, games, challenges, shutdown
self_check.py      ``trapline bot --check``
=================  ===================================================================================
"""
