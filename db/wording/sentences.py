"""Sentences about a losing move: what happened, why, what it cost and what was better, in this order.

Every sentence rests on the evidence alone: on the line that was proved or searched, on the material that is gone at its
end, on the win chances that were measured. Win chances are in percent of the side that moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import chess

from db.wording import moves
from db.wording.better_moves import BetterMoves
from db.wording.causes import cause_words
from db.wording.claims import cost_words, material_words
from db.wording.effects.captures import guarded_capture, simplest, takes_back, takes_wrong, told_first
from db.wording.effects.later import taken_later, trade_down
from db.wording.effects.played import Effect
from db.wording.effects.threats import answer_threatens
from db.wording.evidence import Evidence, verdict
from db.wording.facts import CHECKS, Facts, Point, facts_of, keeps_checking, left_by_point
from db.wording.languages.grammar import Verbosity
from db.wording.material import board_at, material_shown
from db.wording.names import trap_name
from db.wording.phrases import acts_soon
from db.wording.reasons import (
    answer_effect,
    answer_takes,
    attack_on,
    best_is_small,
    gives_up_castling,
    is_allowed_as_well,
    is_likely,
    is_only_move,
    is_threat,
    line_effect,
    only_attacks,
    stood_attacked,
    threatens_mate,
    was_there,
    was_threatened,
)
from db.wording.stands import taken_by
from trapcore.trees.chess_game import parse_position

_BY_ANSWER = 1  # ply with which the answer begins a trade
_Squares = Sequence[chess.Square] | None  # that a reason is about; None if the answer only makes a threat


@dataclass(frozen=True, slots=True)
class Narrator(BetterMoves):
    """Writes the sentences in one language, as many as are wanted."""

    # The five events ------------------------------------------------------------------------------------------------

    def fell(
        self,
        evidence: Evidence,
        *,
        was_set: bool = False,
        again: bool = False,
        missed: Evidence | None = None,
        answered: Evidence | None = None,
        misses_again: bool = False,
    ) -> str:
        """Of the losing move itself.

        ``was_set``: the trap was reported with its line when it was set. ``again``: an earlier move of the same side
        lost to the same answer for the same reason, and that was reported. ``missed``: the move that lost before it,
        whose answer this move misses as well. ``answered``: the move before, if the better move here was reported as
        the answer to it. ``misses_again``: that the player misses this answer was reported of his move before.
        """
        if was_set:
            chances = cost_words(evidence)
            if not self.beside_move:
                return self._say("takes_bait", chances=chances)  # the game may go on
            return self._say("takes_bait_line", line=self._line(evidence, facts_of(evidence)), chances=chances)
        misses = self.beside_move and self._only_misses(evidence)
        misses = misses and not self._what_happened(evidence, judges=False)
        better = self._better(evidence, missed, answered, again=misses_again, misses=misses)
        evidence = simplest(evidence)
        if not self.tells_answer(evidence, answer_told=answered is not None, again=again):
            return better
        if again or evidence.name or evidence.mate_in is not None or not better:
            return self._joined(self._what_happened(evidence, again=again), better)
        facts = facts_of(evidence)
        if facts.best_mate is not None and facts.perpetual is None:
            if facts.material is not None and facts.material.lost[0] != chess.PAWN:
                # A piece that is given away is what a reader sees first.
                return self._joined(self._what_happened(replace(evidence, cause=""), again=False), better)
            # Away from the move the sentence must name it.
            return better if self.beside_move else f"{self._bait(evidence, facts)}: {better}"
        return self._with_better(evidence, better, is_told=answered is not None, judges=not misses)

    def _with_better(self, evidence: Evidence, better: str, *, is_told: bool, judges: bool = True) -> str:
        """What happened, and what was better. If ``is_told`` that was reported of the move before."""
        evidence = _without_missed(evidence) if is_told else evidence
        if self.short and is_told and better and not takes_wrong(evidence):
            facts = facts_of(evidence)
            loses = facts.material is not None or cause_words(evidence, facts, self.language) is not None
            if not loses or self._best_does(evidence, facts):
                return better
            return self._what_happened(evidence, judges=False, leaves=False) or better
        # A verdict is the last to be written.
        judges = judges and not (self.short and better)
        happened = self._what_happened(evidence, judges=judges, leaves=not is_told)
        facts = facts_of(evidence)
        if not is_told and self._leaves_capture(evidence, facts):
            return happened
        is_told = is_told or bool(facts.best_wins) or (only_attacks(evidence) and is_only_move(evidence))
        if is_told and self._misses_more(evidence, facts, happened):
            return better
        return self._joined(happened, better)

    def _misses_more(self, evidence: Evidence, facts: Facts, happened: str) -> bool:
        """Whether the better move has a reason, and the answer only attacks or threatens, and no mate."""
        if facts.motif is not None or taken_later(evidence) is not None or threatens_mate(evidence):
            return False
        if not (only_attacks(evidence) or answer_threatens(evidence)) or happened != self._allows(evidence, facts):
            return False
        return self._best_says(evidence, facts)

    def tells_answer(self, evidence: Evidence, *, answer_told: bool, again: bool = False) -> bool:
        """Whether `fell` says how the losing move is answered. If its only fault is that it misses an answer that was
        just reported, that says enough."""
        if self.verbosity is Verbosity.BRIEF or again or not answer_told or evidence.name:
            return True
        return bool(self._what_happened(_without_missed(evidence), judges=False, leaves=False))

    def sprung(self, evidence: Evidence, played: str) -> str:
        """Of the right answer ``played`` (SAN) to a losing move that was not reported itself."""
        facts = facts_of(evidence)
        gaps = {"killer": self._killer(evidence, facts)}
        if played.rstrip("+#") != facts.line[0].rstrip("+#"):
            gaps["played"] = moves.line([played], evidence.half_move + 1)
            if evidence.mate_in is not None:
                return self._say(
                    "springs_otherwise" if evidence.name else "mates_too", **gaps, name=self._name(evidence)
                )
            if evidence.name:
                return self._say("springs_too", **gaps, name=self._name(evidence))
            return self._punishes(evidence, facts, shows_line=False)
        if evidence.name:
            return self._say("springs", name=self._name(evidence), line=self._line(evidence, facts))
        return self._punishes(evidence, facts, shows_line=True)

    def set(self, evidence: Evidence, risk: float | None = None) -> str:
        """Of the move that sets a trap, and how it should be answered; ``risk`` (0..2) is what it costs itself."""
        facts = facts_of(evidence)
        gaps = self._trap(evidence, facts)
        end = "mate" if evidence.mate_in is not None else "gain" if facts.material is not None else ""
        key = "sets"
        if self._cut(evidence, facts):
            end = "long_mate"
        elif facts.taken is not None:
            kind, square = facts.taken
            gaps |= {"subject": self.language.subject[kind], "square": chess.square_name(square)}
            key += "_lure"
        told = self._say(f"{key}_{end}" if end else key, **gaps)
        return self._joined(told, self._answer(evidence, facts, risk))

    def threat(self, evidence: Evidence) -> str:
        """Of a move after which the killer would follow any idle move."""
        facts = facts_of(evidence)
        if evidence.mate_in is not None and evidence.mate_in > 1:
            return self._say("threatens_mate", mate=self._mate(evidence, facts), line=self._line(evidence, facts))
        return self._say("threatens", why=self._killer(evidence, facts))

    def avoided(self, evidence: Evidence, *, shows_line: bool = True) -> str:
        """Of a move that leaves a losing one alone; empty if nobody can say what the answer to that does. Without
        ``shows_line`` only that answer is named, if it wins no material."""
        facts = facts_of(evidence)
        gaps = self._trap(evidence, facts)
        if evidence.mate_in is None and facts.material is None and not evidence.name:
            shown, does = self._answer_does(evidence, facts, is_strong=True)
            taken = answer_takes(evidence, is_reason=False)
            if facts.taken is not None and taken is not None and taken.targets[0][0] <= facts.taken[0]:
                return ""  # that is too little for what the bait takes
            if facts.motif is None and only_attacks(evidence):
                return ""  # it goes away
            return self._say("avoids_effect", **gaps | {"line": shown, "does": does}) if does else ""
        if not shows_line and facts.material is None:
            gaps["line"] = gaps["killer"]
        key = "avoids_named" if evidence.name else "avoids"
        end = "_mate" if evidence.mate_in is not None else "_gain" if facts.material is not None else ""
        return self._say(key + end, **gaps)

    def afterwards(self, evidence: Evidence, *, short: bool = False) -> str:
        """Of a trap, for the player that it was set for; ``short`` names only the answer, not what follows."""
        facts = facts_of(evidence)
        gaps = self._trap(evidence, facts)
        if short:
            gaps["line"] = self._killer(evidence, facts)
        end = "mate" if evidence.mate_in is not None else "gain" if facts.material is not None else "answer"
        return self.language.afterwards[end].format_map(gaps)

    def unproved(self, evidence: Evidence, like: str = "") -> str:
        """Of a move that may lose, which was not proved; ``like`` is the name of a trap that it resembles, or empty."""
        facts = facts_of(evidence)
        gaps = {"move": moves.line([facts.bait], evidence.half_move), "killer": self._killer(evidence, facts)}
        if evidence.name:
            return self._say("unproved_known", **gaps, name=self._name(evidence))
        if like:
            return self._say("unproved_like", **gaps, name=trap_name(like, self.language, mirrored=evidence.mirrored))
        return self._say("unproved_answer", **gaps)

    def slip(
        self,
        evidence: Evidence,
        *,
        again: bool = False,
        answered: Evidence | None = None,
        misses_again: bool = False,
    ) -> str:
        """Of a move that costs something and is not proved to lose: why, if its line allows mate or loses material, or
        what the answer to it does, and what is better; of an inaccuracy only what the board shows, if anything.

        ``again``, ``answered`` and ``misses_again`` are those of `fell`.
        """
        if not evidence.killer_line:
            best = moves.line(evidence.best_line[:1], evidence.half_move)
            gaps = {"best": best, "mate": self.language.mates[None][0], "chances": cost_words(evidence)}
            better = self._say("is_mate" if best.endswith("#") else "is_better", **gaps)
            return self._joined(self.stalemate(evidence.fen, evidence.bait, evidence.half_move), better)
        facts = facts_of(evidence)
        if again or facts.material is not None or evidence.mate_in is not None or facts.best_mate is not None:
            return self.fell(evidence, again=again, answered=answered, misses_again=misses_again)
        say_better = partial(self._better, evidence, None, answered, again=misses_again)
        if moves.sign(evidence.cost) != "?!":
            return self._with_better(evidence, say_better(), is_told=answered is not None, judges=False)
        if answered is not None or facts.best_wins is not None or facts.point is not None:
            return say_better()
        if allowed := self._allows(evidence, facts, cost_words(evidence)):
            return allowed
        return say_better(meets=False) if self._best_says(evidence, facts) else ""

    # Sentences ------------------------------------------------------------------------------------------------------

    def _what_happened(
        self, evidence: Evidence, *, again: bool = False, judges: bool = True, leaves: bool = True
    ) -> str:
        """What the losing move allows, loses or, with ``leaves``, does not take; only with ``judges`` also what it does
        to the win chances."""
        facts = facts_of(evidence)
        line = self._line(evidence, facts)
        if evidence.name:
            return self._say("falls_into", name=self._name(evidence), line=line)
        why, killer = self._why(evidence, facts), self._killer(evidence, facts)
        gaps = {"move": self._bait(evidence, facts), "why": why, "killer": killer}
        if again:
            return self._say("allows_again", **gaps)
        reason = None if facts.perpetual is not None else cause_words(evidence, facts, self.language)
        if evidence.mate_in is None:
            gaps |= self._of_cause(evidence, facts)
        if evidence.mate_in is not None:
            gaps |= {"mate": self._mate(evidence, facts), "line": line}
            if reason is not None and not evidence.like:
                return self._say(reason[0], **gaps, **reason[1])
            idea = self.language.ideas.get(evidence.like, "")
            return self._say("allows_mate_like", **gaps, idea=idea) if idea else self._say("allows_mate", **gaps)
        if facts.perpetual is not None:
            return self._say("allows_perpetual", **{**gaps, "line": line})
        if keeps_checking(board_at(evidence, 1), evidence.killer_line, evidence.after):
            return self._say("allows_effect", **gaps | {"does": self._point(Point("checks")), "chances": ""})
        if reason is not None:
            is_small = self._is_small(facts, reason)
            takes = facts.point is not None and facts.point.does == "captures"
            tells_better = self.beside_move and self.verbosity is not Verbosity.BRIEF
            if is_small and takes and tells_better and reason[0] not in _LEAVES:
                return ""  # the piece that the better move takes says more than the pawn
            allows = self._allows(evidence, facts) if is_small else ""
            gaps["why"] = self._cause_shown(evidence, facts, reason)
            return allows or self._say(reason[0], **gaps, **reason[1])
        if facts.material is not None:
            if trapped := self._traps(evidence, facts.material):
                return self._say("allows_effect", **gaps | {"does": self._effect(trapped), "chances": ""})
            return self._say("loses_material", **gaps, what=material_words(self.language, facts.material))
        if takes_wrong(evidence):
            pawns = parse_position(evidence.fen).pieces(chess.PAWN, not evidence.is_black)
            are_pawns = all(chess.parse_square(uci[:2]) in pawns for uci in (evidence.bait, evidence.best or ""))
            return self._say("takes_wrong_pawn" if are_pawns else "takes_wrong_piece", **gaps)
        if leaves and facts.left is not None:
            return self._of_piece("leaves_capture", facts.left, gaps)
        taken = answer_takes(evidence)
        if taken is not None and stood_attacked(evidence, taken):
            return self._does_not_save(taken, gaps)
        if allows := self._allows(evidence, facts):
            return allows
        if leaves and (left := left_by_point(evidence, facts)) is not None:
            return self._of_piece("leaves_capture", left, gaps)
        if (traded := trade_down(evidence)) is not None:
            return self._say("cause_ending" if traded < _BY_ANSWER else "allows_ending", **gaps | {"why": line})
        if small := self._small_reason(evidence, facts, gaps):
            return small
        taken = answer_takes(evidence, is_reason=False)
        if taken is not None:
            # A pawn says more than a verdict.
            if stood_attacked(evidence, taken):
                return self._does_not_save(taken, gaps)
            return self._say("allows_effect", **gaps | {"does": self._effect(taken), "chances": ""})
        tells_better = not self.short and self.verbosity is not Verbosity.BRIEF
        is_met = tells_better and bool(self._meets(evidence, facts))
        if is_met and (does := self._plain_effect(evidence)):
            return self._say("allows_effect", **gaps | {"does": does, "chances": ""})
        if not judges or (is_met and verdict(evidence) == "is_answered"):
            return ""
        if self.beside_move and tells_better and not acts_soon(evidence) and self._best_acts(evidence, facts):
            return ""  # a line in which nothing happens
        if gaps["why"] == line and (plies := moves.told_plies(evidence, facts)) is not None:
            gaps["why"] = self._plies(evidence, facts.line[:plies])
        other = self.language.sides[chess.WHITE if evidence.is_black else chess.BLACK]
        return self._say(verdict(evidence), evidence.half_move, **gaps, other_side=other)

    def _small_reason(self, evidence: Evidence, facts: Facts, gaps: dict[str, str]) -> str:
        """What says more than a verdict, if the better move has no reason, or a small one; empty if that is nothing."""
        is_bare = bool(evidence.best_line) and (best_is_small(evidence) or not self._best_does(evidence, facts))
        small = line_effect(evidence, is_forced=False, is_strong=False) if is_bare else None
        if small is not None and is_likely(evidence, small[0]):
            found = {"killer": self._until(evidence, *small), "does": self._effect(small[1])}
            return self._say("allows_effect", **gaps | found | {"chances": ""})
        return self._say("gives_up_castling", **gaps) if gives_up_castling(evidence) else ""

    def _does_not_save(self, taken: Effect, gaps: dict[str, str]) -> str:
        """That a piece which the answer takes was attacked before, and is not saved."""
        return self._of_piece("cause_threat", taken.targets[0], gaps | {"why": gaps["killer"]})

    def _allows(self, evidence: Evidence, facts: Facts, chances: str = "") -> str:
        """What the answer does that it does not do after the best move, or its line soon; empty if that is nothing.
        What it could do before is not allowed by the move, which only does not meet it."""
        found = self._answer_reason(evidence, facts)
        if found is None:
            return ""
        ply, shown, does, squares = found
        gaps = {"move": self._bait(evidence, facts), "does": does, "chances": chances}
        if squares is None or not was_threatened(evidence, ply, squares):
            was_idea = ply > 1 and not squares and is_threat(evidence)
            return self._say("ignores_effect" if was_idea else "allows_effect", **gaps, killer=shown)
        baited, move = board_at(evidence, 1), chess.Move.from_uci(evidence.killer_line[ply - 1])
        taken = taken_by(baited, move) if baited.is_legal(move) else None
        if taken is not None and taken[1] in squares:
            return self._of_piece("cause_threat", taken, gaps | {"why": self._plies(evidence, [baited.san(move)])})
        if not baited.is_legal(move):
            # The line begins with the answer to a check.
            return self._say("allows_effect", **gaps, killer=shown)
        return self._say(
            "ignores_effect", **gaps, killer=shown if ply == 1 else self._plies(evidence, [baited.san(move)])
        )

    def _answer_reason(self, evidence: Evidence, facts: Facts) -> tuple[int, str, str, _Squares] | None:
        """What the answer to a losing move does, or its line soon: the ply from 1, the line, the words, and the squares
        it is about; None if that is nothing, or if the best move allows it as well."""

        def capture(ply: int) -> tuple[int, str, str, _Squares]:
            line = evidence.killer_line[ply - 1 :]
            return ply, self._plies(evidence, facts.line[:ply]), self._taking(board_at(evidence, ply), line), ()

        def action(ply: int, effect: Effect) -> tuple[int, str, str, _Squares]:
            later = taken_later(evidence) if ply == 1 and effect.is_single and "x" not in facts.line[0] else None
            if later is not None:
                return capture(later)
            ply, effect = told_first(evidence, ply, effect)
            squares = [square for _, square in effect.targets]
            return ply, self._until(evidence, ply, effect), self._effect_in_line(evidence, ply, effect), squares

        motif = facts.motif
        if motif is not None and motif.name not in CHECKS and not is_allowed_as_well(evidence):
            return motif.ply, self._plies(evidence, facts.line[: motif.ply]), self._does(motif), motif.squares
        effect, taken = answer_effect(evidence), answer_takes(evidence)
        found = (1, effect) if effect is not None else line_effect(evidence)
        if found is None and taken is not None:
            found = 1, taken
        # Nobody has to meet a trade.
        if found and (found[1].does in _MET or not was_there(evidence, found[0], [at for _, at in found[1].targets])):
            return action(*found)
        is_new = not is_allowed_as_well(evidence) and not takes_back(evidence)
        threat = answer_threatens(evidence) if is_new else None
        if threat is not None:
            if threatens_mate(evidence):
                return action(1, Effect("mate_threat"))
            if threat.attacked is not None:
                return action(1, attack_on(threat.attacked, evidence))
            return 1, self._killer(evidence, facts), self._threat(threat, evidence.half_move + 1), None
        since = (
            guarded_capture(board_at(evidence, 1), evidence.killer_line[0], evidence.answer_chance) if is_new else None
        )
        if since is not None:
            return 1, self._killer(evidence, facts), self._guarded(since, evidence.half_move + 1), ()
        shown = material_shown(evidence, parse_position(evidence.fen), moves.MOST_PLIES)
        what = "" if shown is None else material_words(self.language, shown)
        if shown is not None and what != self.language.material and not is_allowed_as_well(evidence):
            line = self._plies(evidence, facts.line[: shown.ply])
            return shown.ply, line, self.language.points["wins"].format(what=what), ()
        later = line_effect(evidence, is_forced=False)
        if later is not None and is_likely(evidence, later[0]) and not is_allowed_as_well(evidence):
            return action(*later)
        taken_soon = taken_later(evidence)
        return None if taken_soon is None else capture(taken_soon)

    def _of_cause(self, evidence: Evidence, facts: Facts) -> dict[str, str]:
        """Gaps of the sentences about causes."""
        material, motif = facts.material, facts.motif
        return {
            "line": self._line(evidence, facts) if material is None else self._plies(evidence, material.line),
            "does": "" if motif is None else self._does(motif),
            "best": "" if facts.best is None else moves.line([facts.best], evidence.half_move),
            "chances": "" if self.verbosity is Verbosity.BRIEF else cost_words(evidence),
        }

    def _leaves_capture(self, evidence: Evidence, facts: Facts) -> bool:
        """Whether the reason is a capture that was not made, and names it."""
        reason = None if facts.perpetual is not None else cause_words(evidence, facts, self.language)
        if reason is None:
            leaves = facts.left is not None or (
                left_by_point(evidence, facts) is not None and not self._allows(evidence, facts)
            )
            return facts.material is None and leaves
        return reason[0] in _LEAVES and not (self._is_small(facts, reason) and self._allows(evidence, facts))

    def _is_small(self, facts: Facts, reason: tuple[str, dict[str, str]]) -> bool:
        """Whether a cause is about a pawn that is not taken, or not saved."""
        if reason[0] == "cause_threat":
            return reason[1]["piece"] == self.language.the_piece[chess.PAWN]
        return facts.point is not None and facts.point.does == "pawn" and reason[0] in _LEAVES

    def _punishes(self, evidence: Evidence, facts: Facts, *, shows_line: bool) -> str:
        """What the losing move lost; with ``shows_line`` how, where that is more than the answer that was played."""
        why = self._why(evidence, facts)
        gaps = {"move": self._bait(evidence, facts), "why": why, "line": why, "mate": self._mate(evidence, facts)}
        more = shows_line and why != self._killer(evidence, facts)
        if evidence.mate_in is not None:
            return self._say("punishes_mate" if more else "punishes_mate_at_once", **gaps)
        if facts.material is not None:
            key = "punishes_material" if more else "punishes_material_at_once"
            return self._say(key, **gaps, what=material_words(self.language, facts.material))
        return self._say("punishes_theme" if more and facts.motif is not None else "punishes", **gaps)


def _without_missed(evidence: Evidence) -> Evidence:
    """The same without a cause in what was not played."""
    return replace(evidence, cause="") if evidence.cause.endswith("_missed") else evidence


_LEAVES = ("leaves_free", "leaves_capture")
"""Reasons that name what was not taken, and by what."""


_MET = frozenset({"win", "take", "mate_threat", "attack", "uncover", "pin", "promotion", "promotes"})
"""What a player has to meet."""
