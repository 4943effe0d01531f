"""What a player does with his games: reports, practice, repertoires, preparation.

================  ================================================================
report/           report on a player's games, as figures and as an HTML file
practice/         exercises for a player, judged and repeated
group/            a coach's group: its pupils, what is assigned to them, how they stand
repertoire/       moves with the best expected score against people of a rating
sparring/         a sparring partner of a rating, who may set traps
preparation/      a player's own repertoire against his games, and a sheet about an opponent
study_files.py    traps as chapters of lichess studies
================  ================================================================
"""
