"""Causes of the losing moves of games: what each is, how many have one, and how long it takes to find."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from annotator.annotation import Annotator
from annotator.comments.evidence import evidence_of
from annotator.events import TrapEvent
from annotator.known_traps import KnownTraps
from annotator.request import AnalysisOptions, AnalysisRequest, BatchAnalyzer
from annotator.settings import AnalysisSettings, Tell
from db.proof.engine_choice import OFF
from db.traps.terms import Event
from db.wording.causes import CAUSE_NAMES, mechanism_name
from db.wording.facts import facts_of
from trapcore import _native
from trapcore.errors import InputError
from trapcore.measures.options import IndexedMeasure
from trapcore.parallel.budget import Cancellation
from trapcore.proof.causes import CAUSES, Mistake, explain
from workshop.coverage.games import Game
from workshop.report import Report, Table

DEFINITIONS: dict[str, tuple[str, str]] = {
    "retaken": (
        "The bait takes something. The killer takes the moved piece where it stands, which is what the line wins.",
        "that square",
    ),
    "taken": ("The same of a bait that takes nothing.", "that square"),
    "uncovers": (
        "The moved piece stood between a bishop, rook or queen and another piece, which that takes now. Before the "
        "bait, exchanges on its square won nothing.",
        "the lost piece, the line piece",
    ),
    "overloaded": (
        "The moved piece was the only guard of a piece that exchanges win now, and it takes something or was also the "
        "only guard of another attacked piece.",
        "the lost piece, the other one",
    ),
    "leaves": (
        "The moved piece guarded a piece that exchanges win now and did not win before; or that is taken later and "
        "would be guarded if the moved piece stood where it came from.",
        "the lost piece, where its guard came from",
    ),
    "cuts_off": (
        "The moved piece comes between a piece and the bishop, rook or queen that guards it. Exchanges win the piece "
        "now, and did not before.",
        "the lost piece, its guard",
    ),
    "blocks_retreat": (
        "After a pass and the killer, the lost piece could flee, and only to or through the square of the bait.",
        "the lost piece, the square of the bait",
    ),
    "back_rank": (
        "A rook or queen leaves its first rank, and the attacker checks there on a square that it guarded.",
        "the square of the check, the king",
    ),
    "takes_flight": (
        "In the final mate the moved piece stands on a square that its king could have gone to.",
        "the king, that square",
    ),
    "cover": (
        "A pawn before the king moves. The attacker comes over a square that it guarded or a line that it closed, with "
        "check or mate, or beside the king. If the king is on the d- or e-file, only with mate.",
        "the attacker's square, the king",
    ),
    "square": (
        "After a pass, the moved piece could take the killer with profit. After the bait nobody can. Or the moved "
        "piece alone kept the king from the square that it goes to.",
        "the killer's square, where the guard came from",
    ),
    "line": (
        "A bishop, rook or queen comes through the square that the bait has left, with the killer or the next move.",
        "where the line piece stood, the square that was left",
    ),
    "vacates": (
        "The killer comes to the square that the bait has left, where nothing could be won of the moved piece.",
        "that square",
    ),
    "pawn_through": (
        "The line promotes a pawn, and the moved piece guarded a square of its way.",
        "where it promotes, the square of its way",
    ),
    "mating_net": ("The bait allows a mate that was not there after a pass.", "the king"),
    "threat": (
        "The killer works after a pass as well: exchanges on its square show it, or a proof of the mate, or a search "
        "of 6,000 nodes in which it wins seven tenths as much. If no material is lost, it takes with profit or checks, "
        "and the search after the pass is worth as much.",
        "the lost piece if the killer attacks it, where a pawn promotes, or the king",
    ),
    "fork": ("A fork that was not there after a pass wins the lost piece.", "the fork, the forked pieces"),
    "skewer": ("The same of a skewer.", "the line piece, the pieces on the line"),
    "discovery": ("The same of a discovered attack or a double check.", "the acting piece, what it attacks"),
    "trap": ("The same of a piece that is trapped.", "the trapping piece, the trapped one"),
    "pin": ("The same of a pin.", "the pinning piece, the pinned one, the king"),
    "no_squares": (
        "The moved piece is attacked by the killer and has no safe square.",
        "the moved piece",
    ),
    "astray": (
        "The line wins the moved piece with the attacker's second or third move, which is no threat after a pass.",
        "the moved piece",
    ),
    "attacked": (
        "The killer attacks the moved piece, of which nothing could be won there before. That is no threat after a "
        "pass.",
        "the moved piece, the killer's square",
    ),
    "mate_missed": ("The best line mates.", "the king"),
    "promotion_missed": ("The best line promotes a pawn and wins more than the bait loses.", "where it promotes"),
    "capture_missed": (
        "The best line takes a piece or pawn with its first move, or a piece with its second, and wins more than the "
        "bait loses.",
        "the piece",
    ),
    "win_missed": (
        "The mover had 60 % or more, and the best line wins a piece later than that.",
        "where it is taken",
    ),
    "ending": (
        "A piece is traded without a gain. What is left is an ending of at most eight points of pieces a side, and "
        "lost (win chance of 30 % or less).",
        "where it is traded",
    ),
    "zugzwang": (
        "With four pieces or fewer and no other cause: after the killer the mover would lose .15 of win chance less if "
        "it could pass.",
        "the king",
    ),
}
"""Each cause in a sentence, and the squares that it rests on, in their order."""


@dataclass
class CauseFigures:
    """What games came to."""

    games: int = 0
    moves: int = 0
    """Losing moves."""
    explained: int = 0
    """With a cause."""
    told: int = 0
    """Whose comment gives a concrete reason: a cause, a mate, a perpetual check, lost material or a motif."""
    first: Counter[str] = field(default_factory=Counter)
    """Losing moves by their first cause."""
    any: Counter[str] = field(default_factory=Counter)
    """By each of their causes."""
    mechanisms: Counter[str] = field(default_factory=Counter)
    """By what their killer lines do."""
    judged: float = 0.0
    """Seconds that the analysis of the games took, on one thread, causes included."""
    explaining: float = 0.0
    """Seconds that the causes took of these."""

    def add(self, event: TrapEvent) -> None:
        """Count a losing move."""
        causes = [] if event.explanation is None else [cause.name for cause in event.explanation.causes]
        self.moves += 1
        self.explained += bool(causes)
        self.told += bool(causes) or _has_reason(event)
        self.first.update(causes[:1])
        self.any.update(causes)
        if event.explanation is not None:
            self.mechanisms[event.explanation.mechanism] += 1


def figures(games: Iterable[Game], say: Callable[[str], None]) -> CauseFigures:
    """Analyse the games one after the other, with no library and no engine, and count the causes of their losing moves.

    Raises ``InputError`` if there are none.
    """
    options = AnalysisOptions(tell=Tell.LOSSES, measure=IndexedMeasure.SEQUENCES)
    request = AnalysisRequest.from_settings(AnalysisSettings(engine=OFF), options)
    analyzer = BatchAnalyzer(request, KnownTraps(()))
    annotator = Annotator((), request.measure, request.selection, False, False, None)
    found, mistakes = CauseFigures(), list[Mistake]()
    for game in games:
        batch = _native.Batch(1, 0, game.text + b"\n", [0], [], [])
        start = time.perf_counter()
        judged = analyzer(batch, Cancellation())
        found.judged += time.perf_counter() - start
        found.games += 1
        for one in judged.found:
            events, _ = annotator.reported(one)
            for event in events:
                if event.event is Event.FELL and event.proved:
                    found.add(event)
                    mistakes.append(event.mistake)
        say(f"{found.games:,} games, {found.moves:,} losing moves")
    if not found.games:
        raise InputError("there is no game")
    start = time.perf_counter()
    explain(mistakes)
    found.explaining = time.perf_counter() - start
    return found


def report(found: CauseFigures) -> Report:
    """The page."""
    share = f"{100 * found.explaining / found.judged:.1f} %" if found.judged else "unknown"
    return Report(
        "Why losing moves lose",
        (
            "`trapcore.proof.causes.explain` names the causes of a losing move, what its killer line does, and where. "
            "Made by `trapline research causes GAMES.pgn --out FOLDER`.",
            f"{found.games:,} games have {found.moves:,} losing moves. A cause is found for "
            f"{_percent(found.explained, found.moves)} of them. The comments on {_percent(found.told, found.moves)} "
            "give a concrete reason: a cause, a mate, a perpetual check, lost material or a motif.",
            f"The causes take {share} of the time of the analysis.",
            "## Causes",
            "The first cause of a move is the one that explains most. The table has them in that order.",
            Table(
                ("key", "the move …", "first", "any", "when", "squares"),
                tuple(
                    (name, CAUSE_NAMES[name], f"{found.first[name]:,}", f"{found.any[name]:,}", *DEFINITIONS[name])
                    for name in CAUSES
                ),
            ),
            "A cause in what was not played comes first if that was worth twice what the line loses.",
            "## Mechanisms",
            "Those of two moves or more.",
            Table(
                ("key", "what the killer line does", "moves"),
                tuple(
                    (key, mechanism_name(key), f"{count:,}")
                    for key, count in found.mechanisms.most_common()
                    if count > 1
                ),
            ),
        ),
    )


def _has_reason(event: TrapEvent) -> bool:
    facts = facts_of(evidence_of(event))
    reasons = (event.proof.mate_in, facts.material, facts.motif, facts.perpetual, facts.left)
    return any(reason is not None for reason in reasons)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "none"
