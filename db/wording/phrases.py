"""Parts of sentences: moves and lines with their numbers, mates, what a move does."""

from collections.abc import Sequence
from dataclasses import dataclass

import chess

from db.wording import moves
from db.wording.claims import material_words
from db.wording.effects.captures import Guarded, takes_back, told_first, wins_piece
from db.wording.effects.finding import SACRIFICES, effects_of
from db.wording.effects.played import Effect
from db.wording.effects.threats import Threat, answer_threatens, later_threat
from db.wording.evidence import Evidence
from db.wording.facts import CHECKS, Facts, Motif, Point, facts_of
from db.wording.languages.grammar import FIRST_HALF_MOVE, Grammar, Verbosity
from db.wording.material import Material, board_at, takes_with_profit
from db.wording.moves import MATE_PLIES, shown_line
from db.wording.names import trap_name
from db.wording.reasons import STRONG, answer_attacks, answer_holds, ends_trade, line_effect
from db.wording.stands import Target, is_taken_at_once, taken_by
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position


@dataclass(frozen=True, slots=True)
class Phrases:
    """Writes in one language, as much as is wanted."""

    language: Grammar
    verbosity: Verbosity = Verbosity.NORMAL
    beside_move: bool = False
    """Whether the text stands directly behind the move that it is about, and so does not name that."""
    short: bool = False
    """Whether only the first sentence is written: there is no room for what was better."""
    before: str = ""
    """What is reported of the move before."""

    def only_good(self, evidence: Evidence) -> str:
        """Of the right answer to a losing move, where every other answer loses much: what it does; empty if that is
        nothing, of a mate, and of an answer that was reported with the losing move."""
        does = "" if evidence.mate_in is not None else self._plain_effect(evidence)
        is_told = self._killer(evidence, facts_of(evidence)) in self.before
        return self._say("only_good", does=does) if does and not is_told else ""

    def stalemate(self, fen: str, move: str, half_move: int) -> str:
        """Of a move (UCI) that is stalemate."""
        board = parse_position(fen)
        return self._say("is_stalemate", move=moves.line([board.san(board.parse_uci(move))], half_move))

    def _say(self, key: str, half_move: int = FIRST_HALF_MOVE, /, **gaps: str) -> str:
        template = self.language.sentence(key, half_move)
        if (self.beside_move or self.verbosity is Verbosity.BRIEF) and key not in _WITH_SUBJECT:
            template = template.removeprefix("{move} ")
        text = template.format_map(gaps).replace(" ....", " ...")  # where a line that is cut short ends the sentence
        return text[:1].upper() + text[1:]

    def _joined(self, *sentences: str) -> str:
        found = list(filter(None, sentences))
        return " ".join(found[:1] if self.short else found)

    def _bait(self, evidence: Evidence, facts: Facts) -> str:
        return moves.line([facts.bait + _sign(evidence)], evidence.half_move)

    def _killer(self, evidence: Evidence, facts: Facts) -> str:
        return self._plies(evidence, facts.line[:1])

    def _line(self, evidence: Evidence, facts: Facts) -> str:
        """``6.Bxf7+ Ke7 7.Nd5#``, with dots behind it where it is cut short before its mate."""
        return self._plies(evidence, shown_line(evidence, facts)) + self._cut(evidence, facts)

    def _plies(self, evidence: Evidence, sans: Sequence[str]) -> str:
        return moves.line(sans, evidence.half_move + 1)

    def _cut(self, evidence: Evidence, facts: Facts) -> str:
        return " ..." if evidence.mate_in is not None and len(shown_line(evidence, facts)) < len(facts.line) else ""

    def _why(self, evidence: Evidence, facts: Facts, *, is_cause: bool = False) -> str:
        """What the killer does, or the line until it has done it; only the captures of a cause that they show."""
        if facts.motif is not None and not (facts.motif.name in CHECKS and facts.material is not None):
            return f"{self._plies(evidence, facts.line[: facts.motif.ply])} {self._does(facts.motif)}"
        if facts.material is not None:
            return self._plies(evidence, facts.material.line)
        if evidence.mate_in is not None:
            return self._line(evidence, facts)
        exchange = _exchange(evidence) if is_cause and evidence.cause in _TAKEN else 0
        if exchange and evidence.cause == "retaken" and _is_given_up(evidence, exchange):
            return self._line(evidence, facts)
        found = line_effect(evidence, is_forced=False)
        if found is not None:
            ply, effect = told_first(evidence, *found)
            if exchange and (effect.does == "take" or wins_piece(evidence)):
                return self._plies(evidence, facts.line[:exchange])
            # What the first move takes, the cause has named.
            is_named = is_cause and evidence.cause in _TAKEN and ply == 1
            does = self._effect(effect) if is_named else self._effect_in_line(evidence, ply, effect)
            return f"{self._until(evidence, ply, effect)} {does}"
        attack = None if exchange else answer_attacks(evidence)
        if attack is not None:
            return f"{self._killer(evidence, facts)} {self._effect(attack)}"
        threat = None if exchange else answer_threatens(evidence, besides=True)
        if threat is not None:
            return f"{self._killer(evidence, facts)} {self._threat(threat, evidence.half_move + 1)}"
        if exchange:
            return self._plies(evidence, facts.line[:exchange])
        if is_cause:
            return self._line(evidence, facts)
        held = answer_holds(evidence)
        if held is not None and (held.does != "trade" or ends_trade(evidence)):
            return f"{self._killer(evidence, facts)} {self._effect(held)}"
        later = line_effect(evidence, _LATER, is_forced=False) or line_effect(
            evidence, _LATER, is_forced=False, is_strong=False
        )
        if later is not None:
            return " ".join(self._in_line(evidence, *later))
        if held is not None:
            return f"{self._killer(evidence, facts)} {self._effect(held)}"
        return self._threatening(evidence, facts) or self._line(evidence, facts)

    def _threatening(self, evidence: Evidence, facts: Facts) -> str:
        """The killer line to the first threat in it, and what that is; empty without one."""
        found = later_threat(evidence)
        if found is None:
            return ""
        ply, threat = found
        return f"{self._plies(evidence, facts.line[:ply])} {self._threat(threat, evidence.half_move + ply)}"

    def _cause_shown(self, evidence: Evidence, facts: Facts, reason: tuple[str, dict[str, str]]) -> str:
        """The line that shows a cause: where it opens a line, until something comes along that, and what it does."""
        if reason[0] != "cause_line":
            return self._why(evidence, facts, is_cause=True)
        opened = 1 + [uci[:2] for uci in evidence.killer_line].index(reason[1]["square"])
        shown, effect = self._plies(evidence, facts.line[:opened]), line_effect(evidence, is_forced=False)
        if effect is None or effect[0] != opened:
            return self._line(evidence, facts) if _is_traded(evidence, opened) else shown
        return f"{shown} {self._effect_in_line(evidence, *effect)}"

    def _of_piece(self, key: str, piece: Target, gaps: dict[str, str]) -> str:
        """A sentence about a piece that is taken, or could have been."""
        where = {"piece": self.language.the_piece[piece[0]], "square": chess.square_name(piece[1])}
        return self._say(key, **gaps | where)

    def _trap(self, evidence: Evidence, facts: Facts) -> dict[str, str]:
        bait = facts.bait + _sign(evidence)
        shown = shown_line(evidence, facts)
        return {
            "name": self._name(evidence),
            "move": moves.line([bait], evidence.half_move),
            "line": self._line(evidence, facts)
            if facts.material is None
            else self._plies(evidence, facts.material.line),
            "trap_line": moves.line([bait, *shown], evidence.half_move) + self._cut(evidence, facts),
            "killer": self._killer(evidence, facts),
            "mate": self._mate(evidence, facts),
            "what": "" if facts.material is None else material_words(self.language, facts.material),
        }

    def _name(self, evidence: Evidence) -> str:
        if not evidence.name:
            return self.language.a_trap
        return trap_name(evidence.name, self.language, mirrored=evidence.mirrored)

    def _mate(self, evidence: Evidence, facts: Facts, words: object = None) -> str:
        if evidence.mate_in is None:
            return ""
        table = self.language.mates if words is None else self.language.a_mate
        # Only a line that is shown to its end shows its pattern.
        pattern = facts.mate if len(facts.line) <= MATE_PLIES else None
        at_once, later = table[pattern]
        return at_once if evidence.mate_in == 1 else later.format(count=evidence.mate_in)

    def _effect(self, effect: Effect) -> str:
        """``attacks the knight on f6``."""
        if effect.drives and effect.square is not None:
            return self._point(Point("drives_to", *effect.targets[0]), chess.square_name(effect.square))
        if effect.drives:
            return self._point(Point("drives", *effect.targets[0]))
        if effect.pinned:
            return self._point(Point("pinned", *effect.targets[0]))
        named = [
            self.language.on.format(piece=self.language.the_piece[kind], square=chess.square_name(square))
            for kind, square in effect.targets
        ]
        kind = effect.targets[0][0] if effect.targets else chess.PAWN
        square = "" if effect.square is None else chess.square_name(effect.square)
        return self.language.effects[effect.does].format(
            targets=f" {self.language.joined} ".join(named),
            piece=self.language.the_piece[kind],
            other=self.language.the_piece[effect.targets[-1][0]] if effect.targets else "",
            pieces=self.language.plural[kind],
            square=square,
            file=square[:1],
        )

    def _taking(self, board: chess.Board, line: Sequence[str]) -> str:
        """``takes the rook on d1``, or ``wins the exchange`` if it is taken back: of the first move of a line (UCI)."""
        move = board.parse_uci(line[0])
        taken, taker = taken_by(board, move), board.piece_type_at(move.from_square)
        assert taken is not None
        assert taker is not None
        if not is_taken_at_once(line) or POINTS[taker] >= POINTS[taken[0]]:
            return self._effect(Effect("take", (taken,)))
        won = Material((taken[0],), (taker,), 1, (), only=False)
        return self.language.points["wins"].format(what=material_words(self.language, won))

    def _effect_in_line(self, evidence: Evidence, ply: int, effect: Effect) -> str:
        """What a move of the killer line does: ``takes the pawn on h5 and attacks the rook on g6``."""
        board = board_at(evidence, ply)
        killer = board.parse_uci(evidence.killer_line[ply - 1])
        taken = taken_by(board, killer)
        does = self._effect(effect)
        reply = evidence.killer_line[ply : ply + 1]
        stays = takes_with_profit(board, killer.uci()) or (reply and reply[0][2:4] != killer.uci()[2:4])
        if taken is None or effect.does not in STRONG or not stays or (ply == 1 and takes_back(evidence)):
            return does
        took = Effect("trade", (taken,)) if _is_trade_of(evidence, ply, taken) else Effect("take", (taken,))
        if effect.targets and all(kind == chess.PAWN for kind, _ in effect.targets):
            return self._effect(took)
        return f"{self._effect(took)} {self.language.joined} {self._effect(effect.on_pieces)}"

    def _in_line(self, evidence: Evidence, ply: int, effect: Effect) -> tuple[str, str]:
        """The killer line to the move at this ply, from 1, which has the effect, and the effect in words, or what is
        `told_first`."""
        ply, effect = told_first(evidence, ply, effect)
        return self._until(evidence, ply, effect), self._effect_in_line(evidence, ply, effect)

    def _until(self, evidence: Evidence, ply: int, effect: Effect) -> str:
        """The killer line to the move at this ply, from 1, which has the effect, or as far as that takes to be seen."""
        end = ply + _SACRIFICED if effect.does in SACRIFICES else ply
        return self._plies(evidence, facts_of(evidence).line[:end])

    def _plain_effect(self, evidence: Evidence) -> str:
        """What the answer takes, attacks or threatens, whether or not it does that after the better move as well; empty
        if that is nothing."""
        baited = board_at(evidence, 1)
        effects = effects_of(baited, evidence.killer_line, evidence.half_move + 1)
        effect = next((each for each in effects if each.does in STRONG | {"win", "take"}), None)
        return "" if effect is None else self._effect_in_line(evidence, 1, effect)

    def _threat(self, threat: Threat, half_move: int) -> str:
        """``threatens mate``, ``attacks the knight on f6`` or ``threatens 16.Bxh7+``; ``half_move`` is that of the
        move that threatens."""
        if threat.mates:
            return self._effect(Effect("mate_threat"))
        if threat.attacked is not None:
            return self._effect(Effect("attack", (threat.attacked,)))
        return self.language.points["threatens"].format(threat=moves.line([threat.san], half_move + 2))

    def _guarded(self, found: Guarded, half_move: int) -> str:
        """``takes the pawn on e5, since 20.dxe5 is met by 20...Qxf2#``; ``half_move`` is that of the capture."""
        kind, square = found.taken
        return self.language.points["takes_since"].format(
            piece=self.language.the_piece[kind],
            square=chess.square_name(square),
            taker=moves.line([found.taker], half_move + 1),
            reply=moves.line([found.reply], half_move + 2),
        )

    def _point(self, point: Point, killer: str = "") -> str:
        """``guards the pawn on e4``; ``killer`` is the move that is prevented, or the square that is left."""
        return self.language.points[point.does].format(
            piece="" if point.piece is None else self.language.the_piece[point.piece],
            bare="" if point.piece is None else self.language.pieces[point.piece],
            square="" if point.square is None else chess.square_name(point.square),
            killer=killer,
            attacker="" if point.attacker is None else self.language.the_piece[point.attacker],
        )

    def _does(self, motif: Motif) -> str:
        """``forks king and rook``."""
        things = []
        for kind in sorted(set(motif.targets), key=lambda kind: -POINTS[kind]):
            count = motif.targets.count(kind)
            things.append(self.language.pieces[kind] if count == 1 else self.language.several[kind, count])
        *first, last = things
        named = [self.language.the_piece[kind] for kind in motif.targets]
        return self.language.themes[motif.name].format(
            targets=f"{', '.join(first)} {self.language.joined} {last}" if first else last,
            the_target=named[0],
            the_other=named[-1],
        )


_WITH_SUBJECT = frozenset({"sets_mate", "sets_gain", "sets"})


_SACRIFICED = 2  # plies behind a sacrifice that show what it is for

_LATER = 5  # plies of a line in which a verdict names what a move does

_TAKEN = frozenset({"taken", "retaken", "threat", "leaves", "uncovers", "overloaded", "cuts_off"})
"""Causes that a capture shows."""


def acts_soon(evidence: Evidence) -> bool:
    """Whether the killer line attacks, threatens, trades or guards something in its first plies."""
    if line_effect(evidence, is_forced=False) is not None or answer_attacks(evidence) is not None:
        return True
    return answer_threatens(evidence, besides=True) is not None or answer_holds(evidence) is not None


def _is_traded(evidence: Evidence, ply: int) -> bool:
    """Whether the move of the killer line at this ply, from 1, takes a piece and is taken back."""
    board = board_at(evidence, ply)
    square = evidence.killer_line[ply - 1][2:4]
    is_capture = board.is_capture(board.parse_uci(evidence.killer_line[ply - 1]))
    return is_capture and any(uci[2:4] == square for uci in evidence.killer_line[ply : ply + 1])


def _is_trade_of(evidence: Evidence, ply: int, taken: Target) -> bool:
    """Whether the move of the killer line at this ply, from 1, takes back a piece of the same kind on its square."""
    here = chess.square_name(taken[1])
    if ply <= 2 or any(uci[2:4] != here for uci in evidence.killer_line[ply - 3 : ply - 1]):
        return False
    return board_at(evidence, ply - 1).piece_type_at(taken[1]) == taken[0]


def _is_given_up(evidence: Evidence, plies: int) -> bool:
    """Whether the losing move is a check, and another or a capture follows after so many plies of the killer line: who
    made it gave something up for that."""
    before = parse_position(evidence.fen)
    if plies % 2 == 0 or plies >= len(evidence.killer_line) or not before.gives_check(before.parse_uci(evidence.bait)):
        return False
    board = board_at(evidence, plies + 1)
    move = board.parse_uci(evidence.killer_line[plies])
    return board.gives_check(move) or board.is_capture(move)


def _exchange(evidence: Evidence) -> int:
    """Plies of the captures on one square with which the killer line begins."""
    board = parse_position(evidence.fen)
    board.push_uci(evidence.bait)
    first = chess.Move.from_uci(evidence.killer_line[0])
    count = 0
    for uci in evidence.killer_line[:MATE_PLIES]:
        move = board.parse_uci(uci)
        if move.to_square != first.to_square or not board.is_capture(move):
            break
        board.push(move)
        count += 1
    return count


def _sign(evidence: Evidence) -> str:
    return moves.sign(evidence.cost, evidence.probability) if evidence.signed else ""
