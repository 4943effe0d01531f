"""The abstracted local tree of a move (paper, section 5.2), in plain Python: the definition of what the core computes.

What a move does, how it can be answered, and what follows, in words that name no square, so that trees of
different positions can be compared. All is seen from the attacker, who is to move: files and ranks count from the
victim's king, upwards to where the attacker's pawns go and to the right from the wing on which the king stands. So a
position with colours exchanged has the same words, and one mirrored left to right too, once castling is over.

===================  ===============================================================================
attacker_view.py     a position with its bait, the turned board, static exchange evaluation
visible_features.py  features of a move that need no look at its replies
replies.py           its replies and the follow-ups to them
mating_net.py        what mates a king, and what keeps it from each square beside it
tokens.py            the vocabulary: facts packed into numbers
differences.py       what a mistake adds to the opponent's tree and takes from the mover's
words.py             what each kind of token says, and what its fields mean
measures/            the measures of the paper, in plain Python as well
===================  ===============================================================================

It is slow, some seconds a position; `trapcore.ranking.weights` asks the core (``native/src/abstract_tree/``).
"""
