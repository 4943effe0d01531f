"""Queries for traps and for losing moves.

=============  ============================================================
condition.py   how a condition is declared, read and checked
query.py       the conditions of both kinds of query
answer.py      hits and pages, and their JSON form
engine.py      answers to queries, page by page
where.py       conditions as SQL
words.py       words that people type, as conditions of a query
vocabulary.py  words that are understood, and what they ask for
cursor.py      cursors: sealed texts that say where a page ended
castling.py    the same position with other castling rights
mistakes.py    losing moves by likeness and by pattern
ahead.py       traps that can still arise from a position or an opening
openings.py    openings that lead to traps, counted
=============  ============================================================

``query.py`` loads neither the database nor a prover.
"""
