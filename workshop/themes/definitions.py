"""Each theme in a sentence, what its targets are, and where lichess's own tag differs from it.

The exact conditions are the predicates in ``trapcore/native/src/themes``.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """One theme."""

    meaning: str
    targets: str = ""
    """What `LineTheme.targets` names, in its order; empty where there are none."""
    lichess: str = ""
    """How lichess's tag differs, where a difference is known."""


_KING = "the king"
_LINE = "said of the whole line"
_UNEXPLAINED = (
    "lichess tags some of these mates and not others like them. We could not find the difference. A closer rule "
    "fitted the tuning half but failed on the puzzles left out, and was dropped after that was seen."
)

DEFINITIONS: dict[str, Definition] = {
    "fork": Definition(
        "A piece that is safe attacks two or more that are worth more than it, or loose and do not attack it; not with "
        "the last move, and not the king.",
        "the forked pieces",
    ),
    "pin": Definition(
        "A piece is pinned to its king and so cannot take what it attacks, or cannot leave although it is attacked.",
        "the pinned piece, the king",
    ),
    "skewer": Definition(
        "The more valuable piece leaves the line of a bishop, rook or queen, which takes the one behind it.",
        "the piece in front, the one behind",
    ),
    "xRayAttack": Definition(
        "Exchanges on one square: who takes back stood between that square and the piece that takes last.",
        "the piece that is looked through, the square",
    ),
    "discoveredAttack": Definition(
        "A move opens the line of another piece, which takes along it with the next move; or a discovered check that "
        "is no double check.",
        "what the opened line leads to",
    ),
    "discoveredCheck": Definition(
        "Check by a piece that did not move, also beside a check by the one that moved; castling is none.", _KING
    ),
    "doubleCheck": Definition("Check by two pieces.", _KING),
    "hangingPiece": Definition(
        "The first move takes a piece that nobody guards, and nothing is given back with the next.", "what is taken"
    ),
    "trappedPiece": Definition(
        "A piece is attacked and has no safe square; it is taken, there or where it flees to.", "the trapped piece"
    ),
    "deflection": Definition(
        "A guard has to leave, by taking a sacrifice or by a check; what it guarded is taken, or a pawn promotes.",
        "the guard, what it guarded",
        "lichess compares the value of the piece sacrificed for another with a number of its kind. So a queen that "
        "takes a rook is no deflection for it.",
    ),
    "attraction": Definition(
        "King, queen or rook takes on a square where the next move attacks it: the king is checked, another is taken.",
        "where the attracted piece comes from",
    ),
    "capturingDefender": Definition(
        "A guard is taken, and then what it guarded; or mate follows on the square that it guarded.",
        "the guard, what it guarded",
    ),
    "interference": Definition(
        "A piece comes between a piece and a line piece that guards it; the first is taken. The one that comes between "
        "may be the victim's.",
        "the guard, what it guarded",
        "lichess checks one guard only, the one on the lowest square. It misses a piece that is cut off from another.",
    ),
    "overloading": Definition(
        "One piece is the only guard of two: the first is taken, it takes back, and the second is taken.",
        "the guard, the first piece, the second",
        "lichess has no such tag.",
    ),
    "intermezzo": Definition(
        "The attacker could take back at once, plays another move first, and then takes.", "what waits to be taken"
    ),
    "clearance": Definition(
        "A piece leaves a square or a line that a bishop, rook or queen then uses, taking nothing.",
        "the square that is used",
    ),
    "quietMove": Definition(
        "A move of a piece or pawn, not the last one, that gives and evades no check, takes and attacks nothing."
    ),
    "defensiveMove": Definition(
        "The line ends with such a move, or begins with quiet moves until one evades a check, with three moves or more "
        "to choose from."
    ),
    "sacrifice": Definition(
        "After a later move the attacker has two points less than after the bait, and no pawn of the victim promoted. "
        "It rests on the most valuable piece given up until then."
    ),
    "advancedPawn": Definition("A pawn comes to the seventh rank, or promotes.", "what it takes"),
    "promotion": Definition("A pawn promotes.", "what it takes"),
    "underPromotion": Definition(
        "A pawn promotes to another piece than a queen; with mate, only to a knight.", "what it takes"
    ),
    "enPassant": Definition("A pawn takes en passant.", "the square that it comes to"),
    "castling": Definition("The attacker castles."),
    "attackingF2F7": Definition("A capture on f2 or f7 beside a king on e1 or e8.", "the square"),
    "exposedKing": Definition(
        "The king, on its first three ranks, has no pawn beside or before it, and is checked by a move that is neither "
        "the first nor the last.",
        _KING,
    ),
    "kingsideAttack": Definition(
        "20 pieces or more; the king on g1 or h1 (g8, h8); checks and captures near the corner outweigh moves far from "
        "it; neither a fork nor a mate on the back rank.",
        _KING,
    ),
    "queensideAttack": Definition(
        "The same with a king on a1, b1 or c1 (a8, b8, c8) and 18 pieces or more.",
        _KING,
        "lichess never tags an attack on a king on a1.",
    ),
    "backRankMate": Definition(
        "The king on its first rank is mated along it, behind its own pieces, none of which is attacked.", _KING
    ),
    "smotheredMate": Definition("A knight mates a king that its own pieces surround.", _KING),
    "hookMate": Definition("A rook mates, guarded by a knight beside the king, which a pawn guards.", _KING),
    "arabianMate": Definition(
        "A rook mates a king in the corner, guarded by a knight two squares off diagonally.", _KING
    ),
    "anastasiaMate": Definition(
        "Queen or rook mates along the edge; the king's own piece stands beside it, a knight two squares beyond.", _KING
    ),
    "bodenMate": Definition("Two bishops mate alone, on diagonals that cross.", _KING),
    "doubleBishopMate": Definition("Two bishops mate alone, on diagonals side by side.", _KING),
    "dovetailMate": Definition(
        "The queen mates from a corner of the king's ring, off the edge; the other squares are its own pieces'.", _KING
    ),
    "triangleMate": Definition(
        "The queen mates from a corner of the king's ring, guarded by a rook beside the king.", _KING
    ),
    "swallowstailMate": Definition(
        "The queen mates beside the king on its file or rank; its own pieces stand on the two far corners.",
        _KING,
        "lichess tags one of some 70 such mates.",
    ),
    "epauletteMate": Definition(
        "Queen or rook mates from straight before the king, whose own pieces stand at both its sides.",
        _KING,
        "lichess tags five mates in 58,000 puzzles, and not those that the name is usual for.",
    ),
    "operaMate": Definition("A rook mates beside the king, guarded by a bishop.", _KING),
    "pillsburysMate": Definition(
        "A rook mates while only bishops keep the king from a square beside it; not the bishop that guards the rook.",
        _KING,
    ),
    "morphysMate": Definition(
        "A bishop mates from afar a king that a rook confines; a rook and a bishop both reach a square beside it.",
        _KING,
        _UNEXPLAINED,
    ),
    "blindSwineMate": Definition("Two rooks beside the king: one mates, the other guards it.", _KING),
    "killBoxMate": Definition(
        "Queen and rook stand in opposite corners of a block of nine squares that holds the king.", _KING
    ),
    "vukovicMate": Definition(
        "A rook mates beside a king without pieces around it, guarded by no knight, while only a knight keeps the king "
        "from another square.",
        _KING,
    ),
    "cornerMate": Definition(
        "A knight mates a king that a queen or rook confines, from the file or rank between knight and king, not from "
        "beside the knight.",
        _KING,
        "lichess's list leaves out some, as all in which the king is two files left of the knight.",
    ),
    "balestraMate": Definition(
        "A bishop mates, and a queen takes all other squares; nobody helps them.",
        _KING,
        "lichess tags one of some 20 such mates.",
    ),
    "mate": Definition("The line ends with mate.", _KING),
    **{
        f"mateIn{moves}": Definition(f"The attacker's move {moves} mates{' or a later one' * (moves == 5)}.", _KING)
        for moves in range(1, 6)
    },
    "opening": Definition(
        f"More than ten pieces beside kings and pawns, four or more on either side's first rank; {_LINE}.",
        "",
        "lichess also looks at how much the pieces of both sides are mixed, and at the whole game.",
    ),
    "middlegame": Definition(f"Neither opening nor endgame; {_LINE}."),
    "endgame": Definition(f"Six pieces or fewer beside kings and pawns; {_LINE}."),
    "pawnEndgame": Definition(f"Kings and pawns only, before and after the first move; {_LINE}."),
    **{
        f"{piece}Endgame": Definition(f"Kings, pawns and {piece}s only, before and after the first move; {_LINE}.")
        for piece in ("knight", "bishop", "rook", "queen")
    },
    "queenRookEndgame": Definition(
        f"One queen, rooks, kings and pawns only, before and after the first move; {_LINE}."
    ),
    "oneMove": Definition(f"The attacker moves once; {_LINE}."),
    "short": Definition(f"Twice; {_LINE}."),
    "long": Definition(f"Three times; {_LINE}."),
    "veryLong": Definition(f"Four times or more; {_LINE}."),
    "zugzwang": Definition(
        "The victim, not in check and with 15 moves or fewer, would lose .15 of win chance less if it could pass; told "
        "by a search.",
        _KING,
        "lichess asks Stockfish with up to 12 million nodes for a difference of .3.",
    ),
}
"""By name, in no order."""

NOT_OF_THE_LINE: dict[str, str] = {
    "advantage": "how large the advantage is by an engine's evaluation",
    "crushing": "the same",
    "equality": "the same",
    "master": "who played the game",
    "masterVsMaster": "who played the game",
    "superGM": "who played the game",
}
"""Tags of lichess that name nothing in the line, with what they say."""
