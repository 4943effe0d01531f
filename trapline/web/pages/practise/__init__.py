"""Pages of practice.

==========  ==================================================
groups.py   a coach's groups: the list, a group, joining one
play.py     a game against trapline
routes.py   the choice, an exercise, an answer, the progress
view.py     the pages of one practice
==========  ==================================================
"""
