"""English."""

import chess

from db.wording.grammar import Grammar

_NAMES = {
    chess.PAWN: "pawn",
    chess.KNIGHT: "knight",
    chess.BISHOP: "bishop",
    chess.ROOK: "rook",
    chess.QUEEN: "queen",
    chess.KING: "king",
}
_THE = {kind: f"the {name}" for kind, name in _NAMES.items()}
_A = {kind: f"a {name}" for kind, name in _NAMES.items()} | {chess.QUEEN: "the queen", chess.KING: "the king"}

ENGLISH = Grammar(
    code="en",
    name="English",
    sides={chess.WHITE: "White", chess.BLACK: "Black"},
    pieces=_NAMES,
    the_piece=_THE,
    a_piece=_A,
    for_a_piece=_A | {chess.QUEEN: "a queen"},
    subject=_THE,
    several={
        (kind, count): f"{word} {_NAMES[kind]}s"
        for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK)
        for count, word in ((2, "two"), (3, "three"), (4, "four"))
    },
    joined="and",
    exchange="the exchange",
    material="material",
    gets="{lost} for {gained}",
    mates={
        None: ("mate", "mate in {count}"),
        "backRankMate": ("mate on the back rank", "mate in {count} on the back rank"),
        "smotheredMate": ("a smothered mate", "a smothered mate in {count}"),
        "arabianMate": ("an Arabian mate", "an Arabian mate in {count}"),
        "anastasiaMate": ("Anastasia's mate", "Anastasia's mate in {count}"),
        "bodenMate": ("Boden's mate", "Boden's mate in {count}"),
        "doubleBishopMate": ("mate by the two bishops", "mate in {count} by the two bishops"),
        "hookMate": ("a hook mate", "a hook mate in {count}"),
        "dovetailMate": ("a dovetail mate", "a dovetail mate in {count}"),
    },
    a_mate={
        None: ("mate", "a mate in {count}"),
        "backRankMate": ("mate on the back rank", "a mate in {count} on the back rank"),
        "smotheredMate": ("a smothered mate", "a smothered mate in {count}"),
        "arabianMate": ("an Arabian mate", "an Arabian mate in {count}"),
        "anastasiaMate": ("Anastasia's mate", "Anastasia's mate in {count}"),
        "bodenMate": ("Boden's mate", "Boden's mate in {count}"),
        "doubleBishopMate": ("mate by the two bishops", "mate in {count} by the two bishops"),
        "hookMate": ("a hook mate", "a hook mate in {count}"),
        "dovetailMate": ("a dovetail mate", "a dovetail mate in {count}"),
    },
    themes={
        "fork": "forks {targets}",
        "skewer": "skewers {targets}",
        "doubleCheck": "gives double check",
        "discoveredCheck": "gives a discovered check",
        "discoveredAttack": "uncovers an attack on {the_target}",
        "trappedPiece": "traps {the_target}",
        "capturingDefender": "takes the defender of {the_other}",
        "deflection": "draws {the_target} away from {the_other}",
        "pin": "pins {the_target}",
    },
    ideas={"legal": "Légal's mate", "scholars": "the scholar's mate"},
    sentences={
        # The move loses: what happened, and why.
        "falls_into": "Falls into {name}: {line}.",
        "takes_bait": "Takes the bait{chances}.",
        "allows_mate": "{move} allows {mate}: {line}.",
        "allows_mate_like": "{move} allows {mate}, the same idea as {idea}: {line}.",
        "loses_material": "{move} loses {what}: {why}.",
        "throws_win": "{move} throws the win away: {why}.",
        "lets_much_go": "{move} lets much of the advantage go: {why}.",
        "lets_advantage_go": "{move} lets the advantage go: {why}.",
        "lost_position": "{move} loses: {why}.",
        "gives_advantage": "{move} gives {other_side} the advantage: {why}.",
        "gets_worse": "{move} makes a bad position worse: {why}.",
        "is_answered": "{move} is met by {why}.",
        # What was better.
        "was_mate": "{best} was {mate}{chances}.",
        "was_winning": "{best} was winning{chances}.",
        "kept_advantage": "{best} kept the advantage{chances}.",
        "kept_balance": "{best} kept the balance{chances}.",
        "better_defence": "{best} was the better defence{chances}.",
        "only_cost": "It costs {points} percentage points.",
        # The answer was missed.
        "misses_mate": "Misses {killer}, {a_mate}{chances}.",
        "misses_mate_at_once": "Misses {mate}: {killer}{chances}.",
        "misses_named": "Fails to spring {name}: {killer} was {mate}{chances}.",
        "misses_named_gain": "Fails to spring {name}: the answer was {killer}{chances}.",
        "misses_theme": "Misses {killer}, which {does}{chances}.",
        "misses_material": "Misses {killer}, which wins {what}{chances}.",
        "misses_killer": "Misses {killer}{chances}.",
        "misses_the_mate": "Misses the mate{chances}.",
        "misses_the_chance": "Misses the chance{chances}.",
        # The answer was found.
        "springs": "Springs {name}: {line}.",
        "springs_otherwise": "Springs {name}: {played} mates as well as {killer}.",
        "punishes": "Punishes {move}: {why}.",
        "mates_too": "{played} mates as well as {killer}.",
        # A trap is set, or only a threat made.
        "sets_lure_mate": "Sets {name}: {subject} on {square} can be taken, but {trap_line}.",
        "sets_lure_gain": "Sets {name}: {subject} on {square} can be taken, but {move} loses {what} after {line}.",
        "sets_lure": "Sets {name}: {subject} on {square} can be taken, but {move} is met by {line}.",
        "sets_mate": "Sets {name}: {trap_line}.",
        "sets_gain": "Sets {name}: {move} loses {what} after {line}.",
        "sets": "Sets {name}: {move} is met by {line}.",
        "answer_takes": "{side} can simply take with {best}.",
        "answer_is": "{side} should play {best}.",
        "answer_costs": "But {best} is a good answer{chances}.",
        "threatens": "Threatens {why}.",
        "threatens_mate": "Threatens {mate}: {line}.",
        # The trap is left alone.
        "avoids_named_mate": "Avoids {name}, where {move} allows {mate} after {line}.",
        "avoids_named_gain": "Avoids {name}, where {move} loses {what} after {line}.",
        "avoids_named": "Avoids {name}: {move} is met by {line}.",
        "avoids_mate": "Rightly avoids {move}, which allows {mate}: {line}.",
        "avoids_gain": "Rightly avoids {move}, which loses {what} after {line}.",
        "avoids": "Rightly avoids {move}, which is met by {line}.",
        # What is not proved.
        "unproved_answer": "Unproved: {move} may be answered by {killer}; not proved.",
        "unproved_known": "Unproved: the position of {name}; {move} was not proved to lose to {killer}.",
        "unproved_like": "Unproved: resembles {name}; {move} was not proved to lose to {killer}.",
    },
    a_trap="a trap",
    known_trap="a known trap ({name})",
    reversed_colours="{name} with colours reversed",
    articles=("the {name}", "{name}"),
    transliterated={},
)
