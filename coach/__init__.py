"""What a player does with his games: reports, practice, repertoires.

================  ================================================================
report/           report on a player's games, as figures and as an HTML file
practice/         exercises for a player, judged and repeated
repertoire/       moves with the best expected score against people of a rating
study_files.py    traps as chapters of lichess studies
================  ================================================================
"""
