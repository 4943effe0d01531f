"""Preparing for games: a player's own repertoire against what was played, and a sheet about one opponent.

===================  ======================================================================
games.py             the openings of a player's games, position by position, with results
lines.py             a repertoire as a graph of positions, read from PGN
check.py             where games left a repertoire, its gaps, its transpositions, its traps
check_sheet.py       the same in words
drill.py             a repertoire drilled: lines against the player, his answers, what is due
drill_words.py       the same in words
export.py            a repertoire as PGN with variations, and as chapters of a study
derive.py            a repertoire out of the moves that a player played most
opponent.py          what an opponent plays, where he leaves theory, the traps in his lines
opponent_sheet.py    the same in words
===================  ======================================================================

The trap repertoires of `coach.repertoire` are something else: trapline finds their moves.
"""
