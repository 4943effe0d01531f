"""The vocabulary of abstracted trees for chess players: what each kind of token says, and what its fields mean.

Everything is seen from the attacker, whose pawns go up the board, with the victim's king on its right half: "above"
and "below" are ranks, "left" and "right" files from that king. A token may speak of

====================  ==========================================================================================
piece                 the piece after the move, so what a pawn was promoted to
captured              what it takes
check                 no check, a direct, a discovered (castling, too) or a double one
promotes, mates       yes or no
files, ranks          from the victim's king to the square that is moved to; four stands for four or more
exchange              what a series of captures on that square brings, cheapest piece first: the loss of a rook or
                      more (below -450 centipawns), a piece (-450), a pawn (-150), nothing, a pawn (1), two pawns
                      (150), a piece (280), a rook (450), a queen (800)
hanging               the same for the best capture or promotion that the victim has next
attacker              the victim's cheapest piece that attacks that square, pinned or not
defended              a piece of the attacker stands behind it
recapturer            the cheapest piece that can legally take there
place                 whether the move takes on the bait's square, or goes to or across the one that the bait left
novelty               whether the move was there before the bait, and what has changed
targets               what the moved piece attacks: the king, dearer pieces, unguarded ones
replies               legal replies: 0, 1, 2, 3, 4-5, 6-9, 10-15, 16-24, 25 or more
king_replies          those of the king, castling included, up to 4
pawn, steps, passed,  for a pawn's move: ranks to promotion, no enemy pawn before or beside it, the king cannot catch
escapes, blocked      it, a piece stands before it
material              the victim's pieces at 3, 3, 5, 9: none, up to 3, 6, 12, 20, more
rank                  the place among all moves (`profit`) or the shortlisted ones (`standing`): first alone or with
                      others, second, third or fourth, fifth to eighth, later
worst                 centipawns won after the best reply and the best follow-up: mated, loss of a rook or more, a
                      piece, a pawn, nothing, a trifle (1), a pawn (50), two pawns (150), a piece (280), a rook (450),
                      a queen (800), mate
mean                  the same after a reply on average, in pawns from -9 to 12
won_200 to mated,     after how many replies: none, few (less than a quarter), some (less than two thirds), most, every
forced, share
reply                 king move, capture by the king, recapture, other capture, check, other move
then, then_piece,     the follow-up: mate, win of material, check, nothing; with which piece, which it takes, and
same_piece,           whether it is the piece that moved before
then_captured
moves                 moves to a mate by checks alone, at most 3
behind, ahead         how far behind the best, or ahead of the second, in the classes of `exchange`
edges                 the mated king stands on the far rank, on the outer file, on the near rank
own, covered          the piece of its own on a square beside the king, or the pieces that cover it
hunters               all pieces that mate or cover
====================  ==========================================================================================
"""

VOCABULARY = {
    "deed": "what the move is, and where it goes from the victim's king",
    "room": "what it leaves the victim to play",
    "exchange": "what stands behind the square that it goes to",
    "bait": "what the bait has to do with it",
    "targets": "what the moved piece attacks",
    "hanging": "what it leaves to be taken",
    "runner": "how far a pawn has to go",
    "phase": "with how many pieces the victim defends",
    "profit": "its place among all moves by what it takes less what it leaves to be taken",
    "worst": "what is left after the best reply",
    "mean": "what is left after a reply on average",
    "shares": "after how many replies two pawns, a piece, a queen is won, and after how many there is mate",
    "answer": "a kind of reply and what follows it, and after how many replies",
    "line": "the move, a common kind of reply, and what follows",
    "forced": "after how many replies a check leaves one answer at most",
    "mate_by_checks": "in how many moves checks alone mate",
    "standing": "its place on the shortlist once captures and checks are played out",
    "mating_piece": "what mates, and where the king stands",
    "king_square": "what keeps the mated king from a square",
    "hunters": "which pieces mate together",
}
"""What each kind says, in the order of the kinds' numbers."""
