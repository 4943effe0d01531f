"""What was better than a losing move, or was missed, in words: mate, what is won, or what the better move does."""

from dataclasses import dataclass, replace

import chess

from db.wording import moves
from db.wording.claims import chance_words, cost_words, material_words, points_of_cost
from db.wording.effects.captures import guarded_capture, takes_wrong
from db.wording.effects.finding import effects_of
from db.wording.effects.guards import guarded_later
from db.wording.effects.later import taken_next, takes_and_attacks, takes_pawn, trades_queens, won_in_the_end
from db.wording.effects.played import Effect
from db.wording.effects.replies import reply_to_answer
from db.wording.effects.threats import answer_threatens, best_threatens
from db.wording.evidence import BETTER, EVEN, Evidence, is_worth_a_pawn, worth_of
from db.wording.facts import CHECKS, LONGEST_MATE, Facts, Point, facts_of, keeps_checking
from db.wording.languages.grammar import Verbosity
from db.wording.material import (
    Material,
    answered_best,
    best_moves,
    board_at,
    both_take_back,
    takes_with_profit,
)
from db.wording.phrases import Phrases
from db.wording.reasons import (
    STRONG,
    answer_attacks,
    answer_traps,
    best_effect,
    best_is_small,
    is_little,
    line_effect,
)
from db.wording.stands import after_line, counts_of, is_repaid, points_of
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import INACCURACY

_SHOWN = 3  # plies of a missed line that a comment shows if it can say nothing else about it


@dataclass(frozen=True, slots=True)
class BetterMoves(Phrases):
    """Writes the sentences about moves that were not played."""

    def missed(
        self, evidence: Evidence, played_loss: float | None = None, *, was_told: bool = False, again: bool = False
    ) -> str:
        """Of the answer to a losing move that is not the right one, and what it gives back (0..2, None if unknown).

        ``was_told``: the right answer was reported with the losing move. ``again``: the same answer was missed before,
        and that was reported.
        """
        left = evidence.answer_chance
        small = left is None or played_loss is None or played_loss < INACCURACY or not evidence.settled
        # Two searches measured them, so that more may be given back than there was.
        chances = "" if small else chance_words(left, max(-1.0, left - played_loss))  # type: ignore[operator]
        mate = evidence.mate_in is not None
        facts = facts_of(evidence)
        side = self.language.sides[evidence.is_black]
        gaps = {"side": side, "killer": self._killer(evidence, facts), "chances": chances}
        if again:
            return self._say("misses_again", **gaps)
        if was_told and not mate and left is not None and left < -EVEN:
            return self._is_better(evidence, facts, chances)
        if was_told and mate:
            return self._say("misses_the_mate", **gaps)
        if evidence.name and not was_told:
            key = "misses_named" if mate else "misses_named_gain"
            return self._say(key, **gaps, name=self._name(evidence), mate=self._mate(evidence, facts))
        if evidence.mate_in == 1:
            return self._say("misses_mate_at_once", **gaps, mate=self._mate(evidence, facts))
        if mate:
            return self._say("misses_mate", **gaps, a_mate=self._mate(evidence, facts, self.language.a_mate))
        if facts.perpetual is not None:
            return self._say("misses_perpetual", **gaps)
        return self._misses(evidence, facts, gaps)

    def _better(
        self,
        evidence: Evidence,
        missed: Evidence | None,
        answered: Evidence | None,
        *,
        again: bool = False,
        misses: bool = False,
        meets: bool = True,
    ) -> str:
        """What was better, and by how much; empty where nothing is known, and if little is to be said.

        ``again``: that the player misses the answer was reported of his move before. ``misses``: all that the losing
        move does is to miss something. ``meets``: also how the better move meets the answer.
        """
        if self.verbosity is Verbosity.BRIEF:
            return ""
        facts = facts_of(evidence)
        chances = cost_words(evidence)
        side = self.language.sides[not evidence.is_black]
        mates = missed is not None and missed.mate_in is not None
        # If the answer leaves the player worse as well, no chance was missed.
        is_chance = mates or evidence.before is None or evidence.before >= -EVEN
        is_chance = is_chance and answered is not None and not takes_wrong(evidence)
        if again and not is_chance and facts.best is not None and not mates:
            best = moves.line([facts.best], evidence.half_move)
            return self._say("misses_again", side=side, killer=best, chances=chances)
        if answered is not None and is_chance:
            answered = missed or answered
            gaps = {"side": side, "killer": self._killer(answered, facts_of(answered)), "chances": chances}
            if again:
                return self._say("misses_again", **gaps)
            return self._say("misses_the_mate", **gaps) if mates else self._misses_told(evidence, answered, gaps)
        if missed is not None and mates:
            lost = facts_of(missed)
            return self._say("is_mate", best=self._killer(missed, lost), mate=self._mate(missed, lost), chances=chances)
        if facts.best is None or evidence.before is None:
            points = "" if evidence.cost is None or not evidence.settled else points_of_cost(evidence.cost)
            return self._say("only_cost", points=points) if points else ""
        best = moves.line([facts.best], evidence.half_move)
        if best.endswith("#"):
            return self._say("is_mate", best=best, mate=self.language.mates[None][0], chances=chances)
        if facts.best_mate is not None and facts.best_mate > LONGEST_MATE:
            return self._say("mates", best=best, chances=chances)
        if facts.best_mate is not None:
            a_mate = self.language.a_mate[None][1].format(count=facts.best_mate)
            return self._say("misses_mate", side=side, killer=best, a_mate=a_mate, chances=chances)
        if facts.best_wins is not None and evidence.settled:
            is_back = _is_won_back(evidence, facts.best_wins)
            key = "wins_least" if facts.best_wins.least else "wins_back" if is_back else "wins"
            key = "misses_material" if misses and key == "wins" else key
            what = material_words(self.language, facts.best_wins)
            return self._say(key, side=side, killer=best, best=best, what=what, chances=chances)
        best, does = self._takes_next(evidence) or (best, self._best_does(evidence, facts, meets=meets and not misses))
        if not does or best_is_small(evidence) or self._falls_later(evidence, does):
            best, does = self._soon(evidence) or (best, does)
        if not does and (trade := trades_queens(evidence)) is not None:
            best, does = moves.line(evidence.best_line[: trade[0]], evidence.half_move), self._effect(trade[1])
        if does:
            key = "misses_theme" if misses else "best_effect"
            return self._say(key, side=side, killer=best, best=best, does=does, chances=chances)
        if answered is not None and facts.best == facts_of(answered).line[0]:
            return self._say("misses_killer", side=side, killer=best, chances=chances)  # what it does was reported
        worth = worth_of(evidence.before, evidence.after) if evidence.settled else "is_better"
        return self._say(worth, best=best, chances=chances)

    def _only_misses(self, evidence: Evidence) -> bool:
        """Whether a player who had the advantage is not worse after the move, and the better move says why it is."""
        if evidence.before is None or evidence.after is None or evidence.before < BETTER or evidence.after < -EVEN:
            return False
        return evidence.settled and self._best_says(evidence, facts_of(evidence))

    def _best_says(self, evidence: Evidence, facts: Facts) -> bool:
        """Whether the better move has a reason that does not rest on the answer to the losing one."""
        return bool(facts.best_wins or self._takes_next(evidence) or self._best_does(evidence, facts, meets=False))

    def _best_acts(self, evidence: Evidence, facts: Facts) -> bool:
        """Whether the better move has such a reason, and more than to find a better place, or to trade."""
        is_more = self._best_says(evidence, facts) and not best_is_small(evidence)
        return is_more or self._soon(evidence) is not None

    def _best_does(self, evidence: Evidence, facts: Facts, *, meets: bool = True) -> str:
        """``takes the pawn on d6 and guards the rook on b6``: what the better move does that the losing one does not,
        and with ``meets`` how it meets the same answer; empty if that is nothing."""
        does, taken = self._best_point(evidence, facts, meets=meets), takes_pawn(evidence)
        effect = best_effect(evidence)
        is_trade = effect is not None and effect.does in ("trade", "exchange", "doubled")
        if not does or taken is None or is_trade or chess.square_name(taken[1]) in does:
            return does
        return f"{self._effect(Effect('take', (taken,)))} {self.language.joined} {does}"

    def _best_point(self, evidence: Evidence, facts: Facts, *, meets: bool) -> str:
        """The same without the pawn that it takes."""
        if keeps_checking(parse_position(evidence.fen), best_moves(evidence, whole=True), evidence.before):
            return self._point(Point("checks"))
        point, effect = facts.point, best_effect(evidence)
        if point is not None and point.does in _ABOUT_SQUARES and facts.best_takes is not None:
            point = None  # what it takes is more
        attack = takes_and_attacks(evidence)
        if point is not None and not _says_more(effect, point, evidence):
            does = self._point(point, self._killer(evidence, facts))
            return f"{does} {self.language.joined} {self._effect(attack)}" if attack and point.does == "pawn" else does
        if facts.left is not None:
            return self._effect(Effect("take", (facts.left,)))
        if motif := _left_motif(evidence, facts):
            return self.language.points[f"leaves_{motif}"]
        if (since := self._takes_since(evidence)) and (effect is None or effect.does in _VAGUE):
            return since
        guarded = guarded_later(evidence)
        if guarded is not None and (effect is None or effect.does not in STRONG | {"escape", "guard", "win", "take"}):
            return self._effect(Effect("guard", (guarded,)))
        if effect is not None and effect.does not in ("trade", "exchange") and is_little(effect, evidence):
            effect = None
        if meets and (effect is None or effect.does in _VAGUE) and (met := self._meets(evidence, facts)):
            return met
        if effect is not None and effect.does == "take" and attack is not None:
            return f"{self._effect(effect)} {self.language.joined} {self._effect(attack)}"
        if effect is not None:
            return self._effect(effect)
        threat = best_threatens(evidence)
        if threat is not None:
            return self._threat(threat, evidence.half_move)
        is_no_check = facts.motif is not None and facts.motif.name in _DISCOVERIES and _is_no_check(evidence)
        return self._point(Point("no_check"), self._killer(evidence, facts)) if is_no_check else ""

    def _soon(self, evidence: Evidence) -> tuple[str, str] | None:
        """The better line until it takes or has won something, whatever is replied; None if that is nothing."""
        return self._takes_next(evidence, is_forced=False) or self._wins_later(evidence)

    def _wins_later(self, evidence: Evidence) -> tuple[str, str] | None:
        """The better line until it has won something, and that it wins it; None if that is nothing."""
        won = won_in_the_end(evidence)
        if won is None:
            return None
        does = self.language.points["wins"].format(what=material_words(self.language, won))
        return moves.line(won.line, evidence.half_move), does

    def _falls_later(self, evidence: Evidence, does: str) -> bool:
        """Whether all that the better move does is that it attacks something which its line then takes there."""
        effect, ply = best_effect(evidence), taken_next(evidence, is_forced=False)
        if effect is None or ply is None or not effect.is_single or self._effect(effect) != does:
            return False
        return best_moves(evidence, whole=True)[ply - 1][2:4] == chess.square_name(effect.targets[0][1])

    def _takes_since(self, evidence: Evidence) -> str:
        """That the better move takes something that is guarded, and why nobody takes back; empty otherwise."""
        if evidence.best is None or evidence.bait[2:4] == evidence.best[2:4]:
            return ""
        found = guarded_capture(parse_position(evidence.fen), evidence.best, evidence.before)
        return "" if found is None else self._guarded(found, evidence.half_move)

    def _takes_next(self, evidence: Evidence, *, is_forced: bool = True) -> tuple[str, str] | None:
        """The better line until it takes something, not at once, and that it does; None if it takes nothing."""
        ply = taken_next(evidence, is_forced=is_forced)
        if ply is None:
            return None
        line, before = best_moves(evidence, whole=True), parse_position(evidence.fen)
        taking = self._taking(after_line(before, line[: ply - 1]), line[ply - 1 :])
        return moves.line(evidence.best_line[:ply], evidence.half_move), taking

    def _meets(self, evidence: Evidence, facts: Facts) -> str:
        """``meets 12.Nxf7 with 12...Nxf4``: the reply of the better move to the same answer; empty without one. Of a
        quiet answer that its own piece takes, only that it is prevented."""
        reply, after = reply_to_answer(evidence), answered_best(evidence)
        if reply is None or after is None:
            return ""
        answer = after.parse_uci(evidence.killer_line[0])
        takes = reply.rstrip("+#").endswith(f"x{chess.square_name(answer.to_square)}") and not after.is_capture(answer)
        if takes and answer.to_square in after.attacks(after.peek().to_square):
            return self._point(Point("prevents"), self._plies(evidence, [after.san(answer)]))
        met = moves.line([reply], evidence.half_move + 2)
        # After the better move the answer may be no check.
        return self.language.points["meets"].format(killer=self._plies(evidence, [after.san(answer)]), reply=met)

    def _misses_told(self, evidence: Evidence, answered: Evidence, gaps: dict[str, str]) -> str:
        """That the answer to the move before was missed, which was reported there, and what it wins or does.

        ``evidence`` is of the move that misses it.
        """
        facts, lost = facts_of(evidence), facts_of(answered)
        traps = lost.material is not None and self._traps(answered, lost.material) is not None
        if lost.material is not None and not traps and not _takes_as_much(facts, lost.material):
            return self._say("misses_material", **gaps, what=self._won(answered, lost.material))
        if facts.best_wins is not None:
            return self._say("misses_material", **gaps, what=material_words(self.language, facts.best_wins))
        if facts.best == lost.line[0] and (later := self._takes_next(evidence)):
            return self._misses_theme(gaps, *later)
        # What the move takes as well it does not miss.
        takes = evidence.bait[2:4] == answered.killer_line[0][2:4]
        is_about_square = facts.point is not None and facts.point.does in _ABOUT_SQUARES
        line, does = ("", "") if takes else self._answer_does(answered, lost, is_strong=not is_about_square)
        effect, played = best_effect(evidence), (evidence.bait, *evidence.killer_line)
        if not does and (facts.point is not None or effect is None or not is_little(effect, evidence)):
            line, does = gaps["killer"], self._best_does(evidence, facts, meets=False)
        if does in map(self._effect, effects_of(parse_position(evidence.fen), played, evidence.half_move)):
            return self._say("misses_killer", **gaps)  # the move that was played does that as well
        if not does and facts.best == lost.line[0]:
            line, does = self._soon(evidence) or (line, does)
        if not does and takes:
            return self._say("misses_killer", **gaps | {"killer": self._plies(answered, lost.line[:_SHOWN])})
        if not does:
            return self._misses(answered, lost, gaps)
        return self._misses_theme(gaps, line, does)

    def _misses(self, evidence: Evidence, facts: Facts, gaps: dict[str, str]) -> str:
        """That the answer to a losing move was missed, and what it wins or does."""
        line, does = self._answer_does(evidence, facts, is_strong=True)
        if not does and facts.material is not None:
            return self._say("misses_material", **gaps, what=self._won(evidence, facts.material))
        if not does:
            line, does = self._answer_does(evidence, facts, is_strong=False)
        if not does:
            return self._say("misses_killer", **gaps | {"killer": self._plies(evidence, facts.line[:_SHOWN])})
        return self._misses_theme(gaps, line, does)

    def _misses_theme(self, gaps: dict[str, str], line: str, does: str) -> str:
        """That a line was missed, and what it does."""
        return self._say("misses_theme", **gaps | {"killer": line}, does=does)

    def _is_better(self, evidence: Evidence, facts: Facts, chances: str) -> str:
        """What the answer to a losing move wins or does, of a player who stands worse with it as well."""
        best = self._killer(evidence, facts)
        if facts.material is not None:
            return self._say("wins", best=best, what=self._won(evidence, facts.material), chances=chances)
        line, does = self._answer_does(evidence, facts, is_strong=False)
        if not does:
            return self._say("is_better", best=best, chances=chances)
        return self._say("best_effect", best=line, does=does, chances=chances)

    @staticmethod
    def _traps(evidence: Evidence, lost: Material) -> Effect | None:
        """That the answer traps a piece which its player gives up for another one first, of no more worth: the line
        shows that one, and what falls is the trapped piece."""
        trapped = answer_traps(evidence)
        if trapped is None or not POINTS[chess.PAWN] < POINTS[lost.lost[0]] < POINTS[trapped.targets[0][0]] + 1:
            return None
        if lost.lost[0] == trapped.targets[0][0]:
            return None
        square = chess.square_name(trapped.targets[0][1])
        return None if any(uci[2:4] == square for uci in evidence.killer_line[2::2]) else trapped

    def _won(self, evidence: Evidence, lost: Material) -> str:
        """What the answer to a losing move wins: what that move took before is not given for it."""
        facts = facts_of(evidence)
        taken = () if facts.taken is None or both_take_back(evidence) else facts.taken[:1]
        gained = list(lost.gained)
        if taken and taken[0] in gained:
            gained.remove(taken[0])
            taken = ()
        pieces = sorted((*lost.lost, *taken), key=lambda kind: -POINTS[kind])
        return material_words(self.language, replace(lost, lost=tuple(pieces), gained=tuple(gained)))

    def _answer_does(self, evidence: Evidence, facts: Facts, *, is_strong: bool) -> tuple[str, str]:
        """The line to what the answer to a losing move does, or its line soon, and that; empty if that is nothing.

        ``is_strong``: only a motif, the capture of a piece, and a threat against one.
        """
        motif, killer = facts.motif, self._killer(evidence, facts)
        if facts.material is not None and (trapped := self._traps(evidence, facts.material)) is not None:
            return killer, self._effect(trapped)
        if motif is not None and not (motif.name in CHECKS and facts.material is not None):
            return self._plies(evidence, facts.line[: motif.ply]), self._does(motif)
        if facts.material is not None:
            return killer, ""
        baited, uci = board_at(evidence, 1), evidence.killer_line[0]
        square = chess.parse_square(uci[2:4])
        wins = takes_with_profit(baited, uci) and not is_repaid(baited, evidence.killer_line)
        taken = baited.piece_type_at(square) if wins else None
        if taken is not None and taken != chess.PAWN:
            return killer, self._taking(baited, evidence.killer_line)
        later = line_effect(evidence, is_forced=False)
        if later is not None or is_strong:
            return (killer, "") if later is None else self._in_line(evidence, *later)
        if taken is not None:
            return killer, self._point(Point("captures", taken, square))
        effects = effects_of(baited, evidence.killer_line, evidence.half_move + 1)
        effect = next((each for each in effects if not is_little(each, evidence)), None) or answer_attacks(evidence)
        if effect is not None:
            return killer, self._effect(effect)
        threat = answer_threatens(evidence)
        return killer, "" if threat is None else self._threat(threat, evidence.half_move + 1)

    def _answer(self, evidence: Evidence, facts: Facts, risk: float | None) -> str:
        if self.verbosity is Verbosity.BRIEF or facts.best is None or evidence.before is None:
            return ""
        best = moves.line([facts.best], evidence.half_move)
        if risk is not None and risk >= INACCURACY:
            left = -evidence.before
            return self._say("answer_costs", best=best, chances=chance_words(min(1.0, left + risk), left))
        side = self.language.sides[chess.BLACK if evidence.is_black else chess.WHITE]
        simple = facts.best_takes is not None and evidence.before >= -BETTER
        return self._say("answer_takes" if simple else "answer_is", side=side, best=best)


_VAGUE = frozenset({"attack", "uncover", "offer", "challenge", "development", "centre", "castles", "doubled",
                    "open_file", "half_open", "no_castling", "seventh", "outpost"})  # fmt: skip
"""Effects of a better move that do not say how it meets the answer."""


_ABOUT_SQUARES = ("guards", "occupies", "blocks", "prevents")
"""What a better move does about a square."""


def _says_more(effect: Effect | None, point: Point, evidence: Evidence) -> bool:
    """Whether the effect of the better move says more than what it does about the answer."""
    if effect is None or point.does == "stops_mate":
        return effect is not None and effect.does == "win"
    is_pawn = point.does == "pawn" and not is_worth_a_pawn(evidence)
    is_small = is_pawn or (point.does in ("occupies", "prevents") and not effect.drives)
    forks = point.piece == chess.PAWN and point.does in ("guards", "blocks") and len(effect.targets) > 1
    return (is_small or forks) and effect.does in STRONG


_DISCOVERIES = frozenset({*CHECKS, "discoveredAttack"})
"""Motifs that are over when the answer gives no check."""


def _is_no_check(evidence: Evidence) -> bool:
    """Whether the answer, which gives check, gives none after the best move."""
    after, baited = answered_best(evidence), board_at(evidence, 1)
    killer = chess.Move.from_uci(evidence.killer_line[0])
    return after is not None and baited.gives_check(killer) and not after.gives_check(killer)


def _left_motif(evidence: Evidence, facts: Facts) -> str:
    """The fork or skewer that the answer makes at once, if the better move takes one of the pieces away before that;
    empty without one."""
    after, motif = answered_best(evidence), facts.motif
    if after is None or motif is None or motif.ply != 1 or motif.name not in ("fork", "skewer"):
        return ""
    best, killer = chess.Move.from_uci(evidence.best or ""), chess.Move.from_uci(evidence.killer_line[0])
    after.push(killer)
    if chess.parse_square(evidence.bait[2:4]) in motif.squares:
        return ""  # the losing move has walked into it
    is_left = best.from_square in motif.squares and best.to_square not in after.attacks(killer.to_square)
    return motif.name if is_left else ""


def _takes_as_much(played: Facts, missed: Material) -> bool:
    """Whether a move takes at least half of what another one would have won."""
    return played.taken is not None and 2 * POINTS[played.taken[0]] >= missed.worth


def _is_won_back(evidence: Evidence, won: Material) -> bool:
    """Whether the other side is ahead by as much before the move."""
    pieces = counts_of(parse_position(evidence.fen))
    own, other = (points_of(pieces[side]) for side in (not evidence.is_black, evidence.is_black))
    return other - own >= won.worth
