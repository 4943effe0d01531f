"""Traps from and to files.

=======================  ================================================================================
bundled.py               traps that come with the program, out of ``traps.toml``, and the default library
bundled_certificates.py  file of the certificates of the bundled traps, and their checking
import_file.py           import of a PGN or puzzle file, with proofs
pgn_import.py            a PGN game as a trap
pgn_export.py            a trap as a PGN game
puzzle_file.py           rows of the lichess puzzle file
puzzles.py               a row of the lichess puzzle file as a trap
export_file.py           export to a file as PGN or JSON
=======================  ================================================================================
"""
