"""Languages: their sentences, words and catalogs of texts.

A new language is a module like ``german.py`` with a catalog like ``german.toml``, and a line in ``available.py``.

============  ======================================================
grammar.py    a language as a value: its templates, words and catalog
english.py    English
german.py     German, with the catalog german.toml
available.py  the languages that there are
============  ======================================================
"""
