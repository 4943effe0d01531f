"""Games of a library.

===================  =======================================================
accuracy.py          how accurately both sides of a game played, as lichess counts
accounts.py          whose a game is: accounts at the sites where games were played
clocks.py            what each player had left after each move
index_games.py       games out of PGN files into the library, resumable
game_address.py      address at which a game can be seen
explorer.py          moves that were played in a position, and their results
losing_moves.py      losing moves in the games of a player
losing_themes.py     what losing moves lost to
phases.py            opening, middlegame, endgame
players.py           players of the games, found by a part of a name
sightings.py         pages of sightings: of a trap, in a game, of a player
stored_game.py       a game of the library as PGN, its losing moves annotated
trap_occurrences.py  occurrences of traps in the games of a player
trap_stats.py        fall rate, cost and punishment of a trap
===================  =======================================================
"""
