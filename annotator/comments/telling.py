"""Which events of a game are reported, and in which words: what a reader wants to know, and nothing twice.

The comment on a losing move gives the reason. A player who then misses the answer reads only that, and what it cost. A
player who finds it reads nothing. A known trap that is set or avoided is reported the first time in a file, and again
only if somebody falls into it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import NamedTuple

import chess

from annotator.comments.evidence import evidence_of, half_move
from annotator.comments.glyphs import BAD
from annotator.comments.threats import is_threat, tempts
from annotator.events import TrapEvent
from db.formats.puzzles import is_puzzle
from db.traps.terms import OTHER_SIDE, Event
from db.wording.causes import cause_name, mechanism_name
from db.wording.evidence import Evidence
from db.wording.facts import facts_of
from db.wording.languages.grammar import Verbosity
from db.wording.reasons import hung_before
from db.wording.sentences import Narrator
from trapcore import _native
from trapcore.trees.chess_game import parse_position

_ORDER = (Event.FELL, Event.MISSED, Event.SPRUNG, Event.AVOIDED, Event.SET)
"""Several events on one move are reported in this order."""

_Place = tuple[int, str]
"""Ply of a victim's decision, and the bait."""


@dataclass(frozen=True, slots=True)
class Told:
    """One event as it is reported."""

    event: TrapEvent
    text: str
    """Empty where the glyph and the variation say enough."""
    instead: TrapEvent | None = None
    """The answer that the same move missed."""
    line_stands: bool = False
    """The line that refutes the bait was reported before."""


@dataclass(slots=True)
class Teller:
    """Reports the games of one file, in their order."""

    narrator: Narrator
    evidence: bool = False
    """Comments also say who proved what, and how similar a trap is."""
    variations: bool = False
    """Lines stand as variations beside the comments."""
    known: set[str] = field(default_factory=set)
    """Slugs of the traps that were reported in this file already."""

    def comments(
        self,
        events: Iterable[TrapEvent],
        quiet: Collection[int] = (),
        short: Collection[int] = (),
        said: "Said | None" = None,
    ) -> Iterator[tuple[int, list[Told]]]:
        """What to report of one game, by ascending ply, each when it is asked for; a ply whose events are not reported
        has an empty list. What loses or misses something on one of the plies ``quiet`` is reported without words, so
        that no other comment rests on it, and on the plies ``short`` without what was better. ``said`` are the
        sentences of the game so far.
        """
        ordered = sorted(events, key=lambda event: (event.ply, _ORDER.index(event.event)))
        fallen = {_place(event) for event in ordered if event.event is Event.FELL and event.proved}
        game = _Game(self, fallen, quiet, short, Said() if said is None else said)
        for ply, group in groupby(ordered, key=lambda event: event.ply):
            here = list(group)
            yield ply, [told for event in chosen(here) if (told := game.tell(event, here))]


@dataclass(slots=True)
class Said:
    """Sentences of one game, so that none is written twice."""

    sentences: dict[str, int] = field(default_factory=dict)
    """The first ply of each, without its move numbers and win chances."""
    words: dict[int, str] = field(default_factory=dict)
    """What is written of each ply."""

    def once(self, ply: int, say: Callable[[], str], *again: tuple[str, Callable[[], str]]) -> str:
        """What ``say`` returns, without sentences that the game has not long before.

        If an earlier move has one of them, the first form of ``again`` is written that has none: each is for a sentence
        that names its move (SAN). If nothing would be left, one is written all the same: a move is not without words.
        """
        text, known = say(), ""
        recent = {bare for bare, last in self.sentences.items() if last >= ply - _NEAR}
        repeated = [each for each in _sentences(text) if _bare(each) in recent and self.sentences[_bare(each)] < ply]
        for move, form in again if repeated else ():
            named = move and any(move.rstrip("+#") in re.split(r"[ ,:+#]", _bare(each)) for each in repeated)
            if named and (other := form()):
                if not any(_bare(each) in self.sentences for each in _sentences(other)):
                    text = other
                    break
                known = known or other
        new = [each for each in _sentences(text) if _bare(each) not in recent]
        new = new or _sentences(known or text)
        self.sentences |= {_bare(each): ply for each in new}
        self.words[ply] = " ".join(new)
        return self.words[ply]


_NEAR = 6
"""Plies after which a sentence may come again: the reader remembers it no more."""


def best_move(evidence: Evidence) -> str:
    """The better move, SAN; empty if none is known."""
    return evidence.best_line[0] if evidence.best_line else ""


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=\.) (?=[A-Z\d])", text) if text else []


def _bare(sentence: str) -> str:
    """The sentence without its end, move numbers and win chances."""
    return re.sub(r"\d+\.(?:\.\.)?(?=\S)| \(\d+ %.*?\)|\.$", "", sentence)


def chosen(events: Sequence[TrapEvent]) -> list[TrapEvent]:
    """Those of the ``events`` of one move that may be reported: of the moves that lose the one that says most.

    A move that both loses and misses the killer is one slip: the comment on the move that loses says both. Of each
    other kind the event of a known trap is reported, else the one that costs most.
    """
    first: dict[Event, TrapEvent] = {}
    for event in sorted(events, key=lambda event: (not event.proved, not event.known, -(event.loss or 0.0))):
        if event.proved:
            first.setdefault(event.event, event)
    fell, missed = first.get(Event.FELL), first.get(Event.MISSED)
    if fell is not None:
        told = [missed if missed is not None and missed.known and not fell.known else fell]
    elif missed is not None:
        told = [missed]
    else:
        told = [first[kind] for kind in _ORDER if kind in first]
    return [*told, *(event for event in events if not event.proved)]


def _place(event: TrapEvent) -> _Place:
    return event.trap_ply, event.bait


class _Why(NamedTuple):
    """Why a bait loses; nothing but None where no reason can be named."""

    lost: chess.PieceType | None
    """What falls first."""
    motif: str | None
    mate_in: int | None


class _Allowed(NamedTuple):
    """What a reported move allowed."""

    ply: int
    why: _Why
    taken: chess.Piece | None
    """What the answer takes; None if that is nothing."""


@dataclass(slots=True)
class _Game:
    """What was reported in one game so far."""

    teller: Teller
    fallen: set[_Place]
    quiet: Collection[int]
    short: Collection[int]
    said: "Said"
    slips: set[tuple[Event, str, str]] = field(default_factory=set)
    was_set: set[_Place] = field(default_factory=set)
    fell: set[_Place] = field(default_factory=set)
    allowed: dict[tuple[str, tuple[str, str]], _Allowed] = field(default_factory=dict)
    """The last reported move that lost, by whose it was and the answer, see `_answer`."""
    missed: set[tuple[object, ...] | None] = field(default_factory=set)
    """Why moves lost whose missed answer was reported."""
    misses: dict[tuple[str, str], int] = field(default_factory=dict)
    """The last ply at which a player missed an answer that was reported, by whose it was and the answer (UCI)."""
    answered: dict[int, Evidence] = field(default_factory=dict)
    """Moves that lost whose answers were reported, by their ply."""
    avoided: set[tuple[str, str]] = field(default_factory=set)
    """Where a bait was reported to be avoided, by the player and the square that it goes to."""
    named: set[str] = field(default_factory=set)
    """Traps that were named, each by what its variants have in common."""

    def tell(self, event: TrapEvent, here: Sequence[TrapEvent]) -> Told | None:
        """The event in words; None if it is not reported."""
        slip = event.event, _native.epd(event.fen), event.bait
        if slip in self.slips:
            return None
        missed = next((each for each in here if each.event is Event.MISSED and each.proved), None)
        instead = missed if event.event is Event.FELL else None
        line_stands = _place(event) in self.fell
        text = "" if event.ply in self.quiet else self._text(event, instead)
        if not text:
            costs = event.proved and event.event in (Event.FELL, Event.MISSED)
            return Told(event, "", instead, line_stands) if costs else None
        self.slips.add(slip)
        if event.known and event.trap is not None:
            self.teller.known.add(event.trap.slug)
        if _is_named(event):
            self.named.add(_common_name(evidence_of(event)))
        if self.teller.evidence:
            text = f"{text} {_evidence(event)}"
        return Told(event, text, instead, line_stands)

    def _text(self, event: TrapEvent, instead: TrapEvent | None) -> str:
        narrator, evidence, place = self.teller.narrator, self._evidence(event), _place(event)
        narrator = replace(narrator, short=event.ply in self.short, before=self.said.words.get(event.ply - 1, ""))
        if not event.proved:
            return words(event, narrator)
        match event.event:
            case Event.FELL:
                other = None if instead is None else evidence_of(instead)
                better = event.best if instead is None or instead.proof.mate_in is None else instead.killer_line[0]
                answered = self.answered.get(event.ply - 1)
                if answered is not None and answered.killer_line[0] != better:
                    answered = None
                again = self._is_again(event)
                if narrator.tells_answer(evidence, answer_told=answered is not None, again=again):
                    self.fell.add(place)
                    self.answered[event.ply] = evidence
                    self.allowed[event.mover, _answer(event)] = _Allowed(event.ply, _why(event), _taken(event))
                misses_again = answered is not None and self._misses_again(event.mover, better, event.ply)
                say = partial(narrator.fell, evidence, was_set=place in self.was_set, missed=other, answered=answered)
                return self.said.once(
                    event.ply,
                    partial(say, again=again, misses_again=misses_again),
                    (best_move(evidence), partial(say, again=again, misses_again=True)),
                    *([(_answer(event)[1], partial(say, again=True))] if _taken(event) is None else []),
                )
            case Event.MISSED:
                reason = _reason(event)
                again = self._misses_again(OTHER_SIDE[event.mover], event.killer_line[0], event.ply)
                again = again or (reason is not None and reason in self.missed)
                self.missed.add(reason)
                say = partial(narrator.missed, evidence, event.played_loss, was_told=place in self.fell)
                answer = _answer(event)[1]
                missed = self.said.once(event.ply, partial(say, again=again), (answer, partial(say, again=True)))
                return f"{_stalemate(event, narrator)} {missed}".strip()
            case Event.SPRUNG:
                was_told = place in self.fallen or place in self.was_set
                return "" if was_told else narrator.sprung(evidence, event.played)
            case Event.AVOIDED:
                return self._avoided(event)
            case Event.SET:
                return self._set(event)

    def _misses_again(self, player: str, answer: str | None, ply: int) -> bool:
        """Whether the player missed this answer with the move before as well; keeps in mind that this one misses it."""
        if answer is None:
            return False
        before = self.misses.get((player, answer))
        self.misses[player, answer] = ply
        return before == ply - 2

    def _is_again(self, event: TrapEvent) -> bool:
        """Whether the player's move before this one lost to the same answer for the same reason, or by the same motif,
        and that was reported. What the answer takes must have stood there since, and the better move must stop it."""
        earlier = self.allowed.get((event.mover, _answer(event)))
        if earlier is None or earlier.ply != event.ply - 2:
            return False
        square = chess.parse_square(event.killer_line[0][2:4])
        if earlier.taken is not None and parse_position(event.fen).piece_at(square) != earlier.taken:
            return False
        replies = [san.rstrip("+#") for san in event.best_line_san[1:2]]
        if earlier.taken != _taken(event) or _answer(event)[1] in replies:
            return False
        why, before = _why(event), earlier.why
        if why.mate_in is not None or before.mate_in is not None or why.motif is None:
            return any(why) and why == before
        return why.motif == before.motif

    def _set(self, event: TrapEvent) -> str:
        narrator, evidence = self.teller.narrator, self._evidence(event)
        if is_threat(event):
            tells = narrator.verbosity is Verbosity.FULL and event.kind != "quiet"
            return narrator.threat(evidence) if tells else ""
        if not _is_named(event) or not self._is_news(event):
            return ""
        self.was_set.add(_place(event))
        return narrator.set(evidence, event.played_loss)

    def _avoided(self, event: TrapEvent) -> str:
        narrator = self.teller.narrator
        # The author of the game may have judged the move by more than we see.
        if _place(event) in self.was_set or any(nag in BAD for nag in event.anchor.nags):
            return ""
        evidence = self._evidence(event)
        if _is_named(event):
            wanted = self._is_news(event)
        elif narrator.verbosity is Verbosity.NORMAL:
            shows = evidence.mate_in is not None or facts_of(evidence).material is not None
            wanted = shows and event.only_move and tempts(event)
        else:
            # That a piece is not left hanging is no news.
            wanted = narrator.verbosity is Verbosity.FULL and not hung_before(evidence)
        place = event.mover, event.bait[2:4]
        if not wanted or (place in self.avoided and not _is_named(event)):
            return ""
        text = narrator.avoided(evidence, shows_line=not self.teller.variations)
        if text:
            self.avoided.add(place)
        return text

    def _evidence(self, event: TrapEvent) -> Evidence:
        """What may be said of the event; a trap that was named on another move of the game is not named again."""
        evidence = evidence_of(event)
        return replace(evidence, name="") if _common_name(evidence) in self.named else evidence

    def _is_news(self, event: TrapEvent) -> bool:
        """Whether a known trap is reported although nobody may have fallen into it."""
        match self.teller.narrator.verbosity:
            case Verbosity.BRIEF:
                return False
            case Verbosity.FULL:
                return True
            case Verbosity.NORMAL:
                return event.slug not in self.teller.known or _place(event) in self.fallen


def _is_named(event: TrapEvent) -> bool:
    return event.known and event.trap is not None and not is_puzzle(event.trap)


def _common_name(evidence: Evidence) -> str:
    """What the variants of a trap have in common: ``Halosar trap`` of ``Halosar trap, 8.Nb5``."""
    return evidence.name.partition(", ")[0]


def _why(event: TrapEvent) -> _Why:
    facts = facts_of(evidence_of(event))
    lost = None if facts.material is None else facts.material.lost[0]
    return _Why(lost, None if facts.motif is None else facts.motif.name, event.proof.mate_in)


def _stalemate(event: TrapEvent, narrator: Narrator) -> str:
    """That the move of the event is stalemate; empty if it is not."""
    if not event.reached or not parse_position(event.reached).is_stalemate():
        return ""
    move = parse_position(event.origin).parse_san(event.played).uci()
    return narrator.stalemate(event.origin, move, half_move(event, event.ply))


def _reason(event: TrapEvent) -> tuple[object, ...] | None:
    """Whose the bait is, the answer, and `_why` it loses; None without a reason."""
    why = _why(event)
    return (event.mover, _answer(event), *why) if any(why) else None


def _taken(event: TrapEvent) -> chess.Piece | None:
    """What the answer to the bait takes."""
    board = parse_position(event.fen)
    board.push_uci(event.bait)
    return board.piece_at(chess.parse_square(event.killer_line[0][2:4]))


def _answer(event: TrapEvent) -> tuple[str, str]:
    """The answer to the bait: the same move of the same piece."""
    return event.killer_line[0], event.killer_line_san[0].rstrip("+#")


def _evidence(event: TrapEvent) -> str:
    """``[trapline-search-3, 5,012 nodes; like Fork with the knight on f7, 0.93 by abstracted]``."""
    proof = event.proof
    parts = [f"{proof.by}, {proof.nodes:,} nodes" if proof.nodes else proof.by]
    if event.probability is not None:
        parts.append(f"probability {100 * event.probability:.0f} %")
    if event.trap is not None:
        name = " ".join("".join(letter if letter not in "[]{}" else " " for letter in event.trap.name).split())
        # Rounded down: 1.00 is only written for the same position.
        score = "" if event.known else f", {int(100 * event.similarity) / 100:.2f} by {event.measure}"
        colours = ", colours reversed" if event.mirrored else ""
        parts.append(f"{'is' if event.known else 'like'} {name}{score}{colours}")
    if event.bundled:
        names = f"{cause_name(event.cause)}, {mechanism_name(event.mechanism)}"
        parts.append(f"pattern: {names} ({event.bundled} bundled)")
    return f"[{'; '.join(filter(None, parts))}]"


def words(event: TrapEvent, narrator: Narrator) -> str:
    """One event in words, by itself, as if nothing had been reported before."""
    evidence = evidence_of(event)
    if not event.proved:
        is_named = event.trap is not None and not event.known and not is_puzzle(event.trap)
        return narrator.unproved(evidence, event.trap.name if is_named and event.trap is not None else "")
    match event.event:
        case Event.FELL:
            return narrator.fell(evidence)
        case Event.MISSED:
            return narrator.missed(evidence, event.played_loss)
        case Event.SPRUNG:
            return narrator.sprung(evidence, event.played)
        case Event.AVOIDED:
            return narrator.avoided(evidence)
        case Event.SET:
            return narrator.threat(evidence) if is_threat(event) else narrator.set(evidence, event.played_loss)
