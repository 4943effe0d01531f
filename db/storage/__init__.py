"""Database of a trap library: tables and statements.

================  ================================================================================
column_types.py   types of columns that look at what they read; what all tables share
tables.py         tables
losing_tables.py  tables of losing moves
group_tables.py   tables of a coach's groups
database.py       connections and transactions of one open database; errors of its driver in words
companions.py     check of what lies beside a SQLite file
bulk.py           many rows at a time, past SQLAlchemy's own insert
collation.py      comparison of texts without accents and capitals
schema_check.py   schema of a file against the tables
row_check.py      rows as they are read: types and lengths
trap_rows.py      rows of a trap
name_index.py     index of words and trigrams, by which names are found
sighting_rows.py  rows of sightings, and how indexed games give them
losing_rows.py    rows of moves that were proved to lose
value_rows.py     rows of the values of positions
practice_rows.py  rows of what players practise: schedules and answers
frequency.py      frequency of baits in the indexed games
================  ================================================================================
"""
