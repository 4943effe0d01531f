"""Themes of lines held against lichess's tags of its puzzles, and the causes of losing moves counted in games.

==============  ====================================================================
agreement.py    counts over a puzzle file: ours and lichess's, ours alone, theirs alone
definitions.py  each theme in a sentence, its targets, and where lichess's tag differs
page.py         the report
causes.py       causes of losing moves: what each is, how often it is found, the report
==============  ====================================================================
"""
