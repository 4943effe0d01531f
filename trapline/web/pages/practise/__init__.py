"""Pages of practice.

==========  ==================================================
routes.py   the choice, an exercise, an answer, the progress
view.py     the pages of one practice
==========  ==================================================
"""
