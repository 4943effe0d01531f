"""The comment at the end of a game: its opening, accuracy and costliest move, and the pattern if that came before.

It has `MOST_WORDS` at most, and says nothing that is not measured, proved or stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Self

from annotator.comments.evidence import evidence_of, half_move
from annotator.comments.glyphs import sign_beside
from annotator.comments.telling import Told
from annotator.events import TrapEvent
from annotator.slips import Slip
from db.games.accuracy import GameAccuracy
from db.patterns.recall import Again
from db.traps.openings import Opening
from db.traps.position_value import Values
from db.traps.terms import Event, Side
from db.wording import moves
from db.wording.causes import is_theme, mechanism_name, place_name
from db.wording.claims import percent_of_chance
from db.wording.evidence import BETTER
from db.wording.facts import facts_of
from db.wording.languages.grammar import Grammar
from db.wording.names import safe_name
from db.wording.stands import searched
from trapcore import _native
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import BLUNDER, INACCURACY, MISTAKE, win_chance

_WON = 0.5  # win chance from which on a position is called won at the end, 75 %
_NEARLY_EVEN = 0.1  # win chance up to which neither side has an advantage, 45 to 55 %
_UNSURE = 0.28  # win chance by which the costs of two moves with few pieces may differ wrongly, 6.8 points for each
_END_NODES = 100_000  # of the search that bears out that a game ended in an even position

MOST_WORDS = 30
"""Words of a closing comment; a figure and a sign between two spaces count as one."""


@dataclass(frozen=True, slots=True)
class Course:
    """How a game went that somebody lost."""

    loser: Side
    on_time: bool
    """The loser ran out of time."""
    resigned: bool
    """The loser gave up, as far as the tag says so."""
    chances: Mapping[int, float]
    """His win chance, -1..1, after so many half-moves, as far as it is known."""

    @classmethod
    def of(cls, result: str, termination: str, epds: Sequence[str], values: Values) -> Self | None:
        """By its result, its tag of that name, its positions with the last one, and their values; None if nobody lost.

        Of a game that ended before its end on the board, the last position is searched unless the loser stood worse in
        the last one whose value is known.
        lichess calls a game that ended on the board, or was given up, ``Normal``.
        """
        loser = _LOSERS.get(result)
        if loser is None:
            return None
        turn = " w " if loser == "white" else " b "

        def own(chance: float, epd: str) -> float:
            return chance if turn in f"{epd} " else -chance

        known = ((ply, epd, values.get(epd)) for ply, epd in enumerate(epds))
        chances = {ply: own(value.chance, epd) for ply, epd, value in known if value is not None}
        said, end = termination.casefold(), len(epds) - 1
        last = parse_position(epds[end]) if epds else None
        on_time = said == "time forfeit" or said.endswith("won on time")
        resigned = "resign" in said or (said == "normal" and last is not None and not last.is_game_over())
        latest = chances[max(chances)] if chances else 0.0
        if last is not None and (on_time or resigned) and latest >= -_NEARLY_EVEN:
            # Few nodes see many endings even that are not.
            chances[end] = own(win_chance(searched(last, _END_NODES).value), epds[end])
        return cls(loser, on_time, resigned, chances)

    def ending(self) -> str:
        """How it ended against the way that the loser stood, by the key of a sentence; empty if that is no news."""
        last = self.chances[max(self.chances)] if self.chances else -1.0
        ahead = next((key for least, key in ((_WON, "_won"), (BETTER, "_better")) if last >= least), "")
        stood = "_even" if abs(last) <= _NEARLY_EVEN else ahead
        if self.on_time:
            return f"on_time{stood}"
        return f"resigned{stood}" if self.resigned and stood else ""

    def with_end(self, moves: Iterable["Costliest"]) -> Self:
        """The course, and what these moves left after the last position whose value is known."""
        last = max(self.chances, default=-1)
        later = [(each, each.after) for each in moves if each.after is not None and each.ply > last]
        left = {each.ply: after if each.side == self.loser else -after for each, after in later}
        return replace(self, chances={**self.chances, **left})

    def is_turned_by(self, ply: int, before: float | None, after: float | None) -> bool:
        """Whether this move of the loser took him from 40 % or more below 45 %, and he never came back. What only
        gives back a gift of the other side turns nothing if he stands little worse then."""
        if before is None or after is None or before < -BETTER or after >= -_NEARLY_EVEN or before - after < MISTAKE:
            return False
        if after > -BETTER and self.chances.get(ply - 2, before) <= after + INACCURACY:
            return False
        return all(chance < -_NEARLY_EVEN for played, chance in self.chances.items() if played > ply)


_LOSERS: Mapping[str, Side] = {"1-0": "black", "0-1": "white"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Costliest:
    """The costliest move of those that are told, or the one that decided the game."""

    ply: int
    half_move: int
    """As `db.wording.moves.line` takes it."""
    san: str
    """With its sign."""
    side: Side
    """Who made it."""
    before: float | None
    """Win chance of this side before the move, -1..1; None where it may not be told."""
    after: float | None
    """The same after it."""
    mate_in: int | None
    """Moves to the mate that it allows."""
    event: TrapEvent | None
    """None for a slip."""
    turns: bool = False
    """It is the turning point."""
    of_both: bool = True
    """No move of the other side cost more."""
    is_sure: bool = True
    """With few pieces: no other move cost about as much."""
    again: Again | None = None
    """Earlier games in which the same player fell into the same pattern."""


def costly_moves(told: Iterable[Told], slips: Iterable[Slip] = ()) -> list[tuple[float, Costliest]]:
    """The moves that are told to lose, to give something back, or to slip, each with what it costs, 0..2."""
    found = [(cost, _costly(each.event)) for each in told if (cost := _cost(each.event)) > 0]
    return found + [(slip.loss, _costly_slip(slip)) for slip in slips]


def costliest_of(found: Sequence[tuple[float, Costliest]], course: Course | None = None) -> Costliest | None:
    """Of the `costly_moves` the loser's costliest that turned the game; without one his costliest, or that of both if
    he lost on time or made none, of equal ones the first. None if no move costs `MISTAKE`. ``course`` has its end.
    """
    lost: list[tuple[float, Costliest]] = []
    if course is not None:
        own = [pair for pair in found if pair[1].side == course.loser]
        turns = [pair for pair in own if course.is_turned_by(pair[1].ply, pair[1].before, pair[1].after)]
        cost, turn = max(turns, key=lambda pair: (pair[0], pair[1].ply), default=(0.0, None))
        # A later blunder that cost him more is what he remembers.
        if turn is not None and not any(other > cost and each.ply > turn.ply for other, each in own):
            return replace(turn, turns=True)
        lost = [pair for pair in found if pair[1].side == course.loser and pair[0] >= MISTAKE and not course.on_time]
    cost, costliest = max(lost or found, key=lambda pair: pair[0], default=(0.0, None))
    if costliest is None or cost < MISTAKE:
        return None
    is_told = costliest.before is not None or costliest.mate_in is not None
    is_near = any(other > cost - _UNSURE for other, each in found if each is not costliest)
    return replace(costliest, of_both=cost >= max(other for other, _ in found), is_sure=is_told or not is_near)


def closing_comment(
    costliest: Costliest | None,
    language: Grammar,
    *,
    whole: bool,
    opening: Opening | None = None,
    accuracy: GameAccuracy | None = None,
    course: Course | None = None,
    is_clean: bool = False,
) -> str:
    """The comment; ``whole`` if the moves of both sides are told, so that it is the costliest of the game.

    ``course`` is how the game went, ``is_clean`` whether every move was judged and none costs much. The comment is
    empty without a costliest move and without an accuracy.
    """
    turn = language.closing["clean" if course is None else "gradual"] if is_clean else ""
    if costliest is not None:
        turn = _turn(costliest, language, whole=whole)
    if course is not None and (ending := course.ending()) and (turn or accuracy is not None):
        turn = f"{turn} {language.closing[ending].format(side=language.sides[course.loser == 'white'])}".strip()
    recurs = "" if costliest is None or costliest.again is None else _again(costliest.again, language)
    figures = "" if accuracy is None else _accuracy(accuracy, language)
    if not turn and not figures:
        return ""
    names = ["" if opening is None else opening.name, "" if opening is None else opening.family, ""]
    for said, name in product(dict.fromkeys((figures, "")), dict.fromkeys(names)):
        first = language.closing["opening"].format(opening=safe_name(name)) if name else ""
        comment = " ".join(filter(None, (first, said, turn, recurs)))
        if len(comment.split()) <= MOST_WORDS:
            return comment
    return turn


def _cost(event: TrapEvent) -> float:
    """What moves are compared by, 0..2: as `db.games.losing_moves.LostMove.expected_cost` counts."""
    if event.event is Event.MISSED:
        return event.played_loss or 0.0
    if event.event is not Event.FELL or not event.proved:
        return 0.0
    if event.proof.mate_in is not None and event.before is not None:
        return 1 + event.before
    if event.loss is None:
        return BLUNDER
    if event.settled or event.own_probability is None:
        return event.loss
    return event.loss * event.own_probability


def _costly(event: TrapEvent) -> Costliest:
    """The move of an event that costs something."""
    evidence, settled = evidence_of(event), event.settled
    side: Side = "white" if event.mover == "white" else "black"
    half = half_move(event, event.ply)
    if event.event is Event.FELL:
        sign = sign_beside(event.anchor.nags, moves.sign(evidence.cost, evidence.probability))
        before, after = (event.before, event.after) if settled else (None, None)
        return Costliest(
            ply=event.ply,
            half_move=half,
            san=facts_of(evidence).bait + sign,
            side=side,
            before=before,
            after=after,
            mate_in=event.proof.mate_in,
            event=event,
        )
    before = None if event.after is None or not settled else -event.after
    after = None if before is None or event.played_loss is None else max(-1.0, before - event.played_loss)
    return Costliest(
        ply=event.ply,
        half_move=half,
        san=event.played + sign_beside(event.anchor.nags, moves.sign(event.played_loss)),
        side=side,
        before=before,
        after=after,
        mate_in=None,
        event=event,
    )


def _costly_slip(slip: Slip) -> Costliest:
    half = slip.value.half_move
    return Costliest(
        ply=slip.value.ply,
        half_move=half,
        san=_native.sans(slip.value.origin, (slip.value.played,))[0]
        + sign_beside(slip.value.anchor.nags, moves.sign(slip.loss)),
        side="black" if half % 2 else "white",
        before=slip.before,
        after=slip.after,
        mate_in=slip.mate_in,
        event=None,
    )


def _turn(costliest: Costliest, language: Grammar, *, whole: bool) -> str:
    before, after = costliest.before, costliest.after
    chances = ""
    if before is not None and after is not None:
        chances = f" ({percent_of_chance(before)} → {percent_of_chance(after)})"
    key = "turn" if whole and costliest.turns else "costliest" if whole and costliest.of_both else "own"
    key = key if costliest.is_sure else "one_of"
    at_once, later = language.mates[None]
    mate = "" if costliest.mate_in is None else at_once if costliest.mate_in == 1 else later
    return language.closing[f"{key}_mate" if mate else key].format(
        move=moves.line([costliest.san], costliest.half_move),
        side=language.sides[costliest.side == "white"],
        mate=mate.format(count=costliest.mate_in),
        chances=chances,
    )


def _accuracy(accuracy: GameAccuracy, language: Grammar) -> str:
    white, black = (f"{side.accuracy:.0f} %" for side in (accuracy.white, accuracy.black))
    return language.closing["accuracy"].format(white=white, black=black)


def _again(again: Again, language: Grammar) -> str:
    is_place = "@" in again.key
    key, time = "again" if is_place and is_theme(again.key) else "other", again.games - 2
    ordinal = ""
    if again.games > 1:
        key, ordinal = (
            (f"{key}_times", language.ordinals[time]) if time < len(language.ordinals) else (f"{key}_often", "")
        )
    pattern = (
        place_name(again.key, language, again.colour, short=True) if is_place else mechanism_name(again.key, language)
    )
    return language.closing[key].format(
        pattern=pattern,
        name=safe_name(again.opponent),
        date=language.day(again.date),
        ordinal=ordinal,
        count=language.number(again.games),
    )
