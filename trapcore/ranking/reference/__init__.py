"""The abstracted local tree of a move (paper, section 5.2), in plain Python: the definition of what the core computes.

What a move does, how it can be answered, and what follows, told in words that name no square, so that trees of
different positions can be compared. All is seen from the attacker, who is to move: files and ranks count from the
victim's king, upwards to where the attacker's pawns go and to the right from the wing on which the king stands. So a
position with colours exchanged has the same words, and one mirrored left to right too, once castling is over.

=============  ====================================================================================
scene.py       a position of the attacker with its bait, the turned board, what exchanges are worth
seen.py        what is seen of a move without looking at its replies one by one
replies.py     its replies and the follow-ups to them
mating_net.py  how a king stands mated
tokens.py      the vocabulary: facts put into numbers, and taken out again
words.py       the vocabulary for chess players: what each token says
=============  ====================================================================================

It is slow, some seconds a position; `trapcore.ranking.weights` asks the core (``native/src/abstract_tree.rs``).
"""
