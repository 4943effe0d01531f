"""Sentences about a losing move: what happened, why, what it cost and what was better, in this order.

Every sentence rests on the evidence alone: on the line that was proved or searched, on the material that is gone at its
end, on the win chances that were measured. Win chances are in percent of the side that moved.
"""

from dataclasses import dataclass, replace

import chess

from db.wording import moves
from db.wording.causes import cause_words
from db.wording.claims import material_words, percent_of_chance, points_of_cost
from db.wording.effects import Effect, effects_of
from db.wording.evidence import BETTER, EVEN, Evidence, verdict, worth_of
from db.wording.facts import CAPTURES, CHECKS, LONGEST_MATE, Facts, facts_of
from db.wording.languages.grammar import Verbosity
from db.wording.material import Material
from db.wording.names import trap_name
from db.wording.phrases import Phrases
from db.wording.reasons import answer_effect, answer_takes, best_effect, line_effect
from trapcore.piece_values import POINTS
from trapcore.trees.chess_game import parse_position
from trapcore.win_chance import INACCURACY


@dataclass(frozen=True, slots=True)
class Narrator(Phrases):
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
    ) -> str:
        """Of the losing move itself.

        ``was_set``: the trap was reported with its line when it was set. ``again``: an earlier move of the same side
        lost to the same answer for the same reason, and that was reported. ``missed``: the move that lost before it,
        whose answer this move misses as well. ``answered``: the move before, if the better move here was reported as
        the answer to it.
        """
        if was_set:
            return self._say("takes_bait", chances=_cost(evidence))
        better = self._better(evidence, missed, answered)
        if not self.tells_answer(evidence, answer_told=answered is not None, again=again):
            return better
        if again or evidence.name or evidence.mate_in is not None or not better:
            return self._joined(self._what_happened(evidence, again=again), better)
        facts = facts_of(evidence)
        if (facts.best_mate is not None or evidence.cause == "win_missed") and facts.perpetual is None:
            if facts.material is not None and facts.material.lost[0] != chess.PAWN:
                # A piece that is given away is what a reader sees first.
                return self._joined(self._what_happened(replace(evidence, cause=""), again=False), better)
            # Away from the move the sentence must name it.
            return better if self.beside_move else f"{self._bait(evidence, facts)}: {better}"
        if answered is not None and evidence.cause.endswith("_missed"):
            # That it was missed is said by what is better.
            evidence = replace(evidence, cause="")
            if facts.material is None:
                return better
        happened = self._what_happened(evidence, again=False)
        return happened if self._leaves_capture(evidence, facts) else self._joined(happened, better)

    def tells_answer(self, evidence: Evidence, *, answer_told: bool, again: bool = False) -> bool:
        """Whether `fell` says how the losing move is answered. If its only fault is that it misses an answer that was
        just reported, that says enough."""
        if self.verbosity is Verbosity.BRIEF or again or not answer_told or evidence.name:
            return True
        facts = facts_of(evidence)
        reasons = (evidence.mate_in, facts.material, facts.motif, facts.perpetual)
        effects = (answer_effect(evidence), answer_takes(evidence))
        return any(each is not None for each in (*reasons, *effects))

    def missed(
        self, evidence: Evidence, played_loss: float | None = None, *, was_told: bool = False, again: bool = False
    ) -> str:
        """Of the answer to a losing move that is not the right one, and what it gives back (0..2, None if unknown).

        ``was_told``: the right answer was reported with the losing move. ``again``: the same answer was missed before,
        and that was reported.
        """
        left = None if evidence.after is None else -evidence.after
        small = left is None or played_loss is None or played_loss < INACCURACY or not evidence.settled
        # Two searches measured them, so that more may be given back than there was.
        chances = "" if small else _chances(left, max(-1.0, left - played_loss))  # type: ignore[operator]
        mate = evidence.mate_in is not None
        facts = facts_of(evidence)
        side = self.language.sides[evidence.is_black]
        gaps = {"side": side, "killer": self._killer(evidence, facts), "chances": chances}
        if again:
            return self._say("misses_again", **gaps)
        if was_told and not mate and left is not None and left < -EVEN:
            return self._say("is_better", **gaps, best=gaps["killer"])
        if was_told and mate:
            return self._say("misses_the_mate", **gaps)
        if evidence.name and not was_told:
            key = "misses_named" if mate else "misses_named_gain"
            return self._say(key, **gaps, name=self._name(evidence), mate=self._mate(evidence, facts))
        if was_told:
            return self._misses_told(facts, None, gaps)
        if evidence.mate_in == 1:
            return self._say("misses_mate_at_once", **gaps, mate=self._mate(evidence, facts))
        if mate:
            return self._say("misses_mate", **gaps, a_mate=self._mate(evidence, facts, self.language.a_mate))
        if facts.perpetual is not None:
            return self._say("misses_perpetual", **gaps)
        return self._misses(evidence, facts, gaps)

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
        """Of a move that leaves a losing one alone; without ``shows_line`` only the answer to that is
        named, if it loses no material."""
        facts = facts_of(evidence)
        gaps = self._trap(evidence, facts)
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

    def slip(self, evidence: Evidence, *, answered: Evidence | None = None) -> str:
        """Of a move that costs something and is not proved to lose: why, if its line allows mate or loses material, or
        what the answer to it does, and what is better. Of an inaccuracy only what the board shows: empty if that is
        nothing.

        ``answered``: the move before, if the better move here was reported as the answer to it.
        """
        if not evidence.killer_line:
            best = moves.line(evidence.best_line[:1], evidence.half_move)
            better = self._say("is_better", best=best, chances=_cost(evidence))
            return self._joined(self.stalemate(evidence.fen, evidence.bait, evidence.half_move), better)
        facts = facts_of(evidence)
        if facts.material is not None or evidence.mate_in is not None or facts.best_mate is not None:
            return self.fell(evidence, answered=answered)
        better = self._better(evidence, None, answered)
        if moves.sign(evidence.cost) != "?!":
            return self._joined(self._allows(evidence, facts), better)
        if answered is not None or facts.best_wins is not None or facts.point is not None:
            return better
        return self._allows(evidence, facts, _cost(evidence)) or (better if best_effect(evidence) is not None else "")

    def stalemate(self, fen: str, move: str, half_move: int) -> str:
        """Of a move (UCI) that is stalemate."""
        board = parse_position(fen)
        return self._say("is_stalemate", move=moves.line([board.san(board.parse_uci(move))], half_move))

    # Sentences ------------------------------------------------------------------------------------------------------

    def _what_happened(self, evidence: Evidence, *, again: bool) -> str:
        facts = facts_of(evidence)
        line = self._line(evidence, facts)
        if evidence.name:
            return self._say("falls_into", name=self._name(evidence), line=line)
        gaps = {
            "move": self._bait(evidence, facts),
            "why": self._why(evidence, facts),
            "killer": self._killer(evidence, facts),
        }
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
        if reason is not None:
            allows = self._allows(evidence, facts) if reason[0] == "cause_attacked" else ""
            return allows or self._say(reason[0], **gaps, **reason[1])
        if facts.material is not None:
            return self._say("loses_material", **gaps, what=material_words(self.language, facts.material))
        if facts.left is not None:
            kind, square = facts.left
            gaps |= {"piece": self.language.the_piece[kind], "square": chess.square_name(square)}
            return self._say("leaves_capture", **gaps)
        taken = answer_takes(evidence)
        if taken is not None and _stood_attacked(evidence, taken):
            kind, square = taken.targets[0]
            where = {"piece": self.language.the_piece[kind], "square": chess.square_name(square)}
            return self._say("cause_threat", **{**gaps, **where, "why": gaps["killer"]})
        said = verdict(evidence)
        if said not in _TURNS and (allows := self._allows(evidence, facts)):
            return allows
        other = self.language.sides[chess.WHITE if evidence.is_black else chess.BLACK]
        return self._say(said, evidence.half_move, **gaps, other_side=other)

    def _allows(self, evidence: Evidence, facts: Facts, chances: str = "") -> str:
        """What the answer does that it does not do after the best move, or its line soon; empty if that is nothing."""
        effect, motif = answer_effect(evidence), facts.motif
        taken = answer_takes(evidence)
        gaps = {"move": self._bait(evidence, facts), "chances": chances}
        if motif is not None and motif.name not in CHECKS:
            killer = self._plies(evidence, facts.line[: motif.ply])
            return self._say("allows_effect", **gaps, killer=killer, does=self._does(motif))
        found = (1, effect) if effect is not None else line_effect(evidence)
        if found is None and taken is not None:
            return self._say("allows_effect", **gaps, killer=self._killer(evidence, facts), does=self._effect(taken))
        if found is None:
            return ""
        killer = self._plies(evidence, facts.line[: found[0]])
        return self._say("allows_effect", **gaps, killer=killer, does=self._effect(found[1]))

    def _of_cause(self, evidence: Evidence, facts: Facts) -> dict[str, str]:
        """Gaps of the sentences about causes."""
        material, motif = facts.material, facts.motif
        return {
            "line": self._line(evidence, facts) if material is None else self._plies(evidence, material.line),
            "does": "" if motif is None else self._does(motif),
            "best": "" if facts.best is None else moves.line([facts.best], evidence.half_move),
            "chances": "" if self.verbosity is Verbosity.BRIEF else _cost(evidence),
        }

    def _leaves_capture(self, evidence: Evidence, facts: Facts) -> bool:
        """Whether the reason is a capture that was not made, and names it."""
        reason = None if facts.perpetual is not None else cause_words(evidence, facts, self.language)
        if reason is None:
            return facts.material is None and facts.left is not None
        return reason[0] in ("leaves_free", "leaves_capture")

    def _misses_told(self, facts: Facts, played: Facts | None, gaps: dict[str, str]) -> str:
        """That an answer was missed whose reason stands beside the move before, and what it wins; not if the move that
        was ``played`` takes something as well."""
        if facts.material is None or (played is not None and _takes_as_much(played, facts.material)):
            return self._say("misses_killer", **gaps)
        return self._say("misses_material", **gaps, what=material_words(self.language, facts.material))

    def _misses(self, evidence: Evidence, facts: Facts, gaps: dict[str, str]) -> str:
        """That the answer to a losing move was missed, and what it wins or does."""
        motif = facts.motif
        if motif is not None and not (motif.name in CHECKS and facts.material is not None):
            gaps = gaps | {"killer": self._plies(evidence, facts.line[: motif.ply])}
            return self._say("misses_theme", **gaps, does=self._does(motif))
        if facts.material is not None:
            return self._say("misses_material", **gaps, what=material_words(self.language, facts.material))
        baited = parse_position(evidence.fen)
        baited.push_uci(evidence.bait)
        taken = baited.piece_at(chess.parse_square(evidence.killer_line[0][2:4]))
        if taken is not None:
            kind, square = taken.piece_type, evidence.killer_line[0][2:4]
            return self._say("misses_capture", **gaps, piece=self.language.the_piece[kind], square=square)
        effect = next(effects_of(baited, evidence.killer_line, evidence.half_move + 1), None)
        if effect is not None:
            return self._say("misses_theme", **gaps, does=self._effect(effect))
        return self._say("misses_killer", **gaps)

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

    def _better(self, evidence: Evidence, missed: Evidence | None, answered: Evidence | None) -> str:
        """What was better, and by how much; empty where nothing is known, and if little is to be said."""
        if self.verbosity is Verbosity.BRIEF:
            return ""
        facts = facts_of(evidence)
        chances = _cost(evidence)
        side = self.language.sides[not evidence.is_black]
        mates = missed is not None and missed.mate_in is not None
        # If the answer leaves the player worse as well, no chance was missed.
        if answered is not None and (mates or evidence.before is None or evidence.before >= -EVEN):
            answered = missed or answered
            lost = facts_of(answered)
            gaps = {"side": side, "killer": self._killer(answered, lost), "chances": chances}
            return self._say("misses_the_mate", **gaps) if mates else self._misses_told(lost, facts, gaps)
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
            return self._say("wins", best=best, what=material_words(self.language, facts.best_wins), chances=chances)
        if facts.point is not None and (facts.left is None or facts.point.does not in CAPTURES):
            gaps = {"best": best, "piece": "", "square": "", "chances": chances}
            if facts.point.piece is not None:
                gaps["piece"] = self.language.the_piece[facts.point.piece]
            if facts.point.square is not None:
                gaps["square"] = chess.square_name(facts.point.square)
            return self._say(f"best_{facts.point.does}", **gaps)
        effect = best_effect(evidence)
        if effect is not None and facts.left is None:
            return self._say("best_effect", best=best, does=self._effect(effect), chances=chances)
        worth = worth_of(evidence.before, evidence.after) if evidence.settled else "is_better"
        return self._say(worth, best=best, chances=chances)

    def _answer(self, evidence: Evidence, facts: Facts, risk: float | None) -> str:
        if self.verbosity is Verbosity.BRIEF or facts.best is None or evidence.before is None:
            return ""
        best = moves.line([facts.best], evidence.half_move)
        if risk is not None and risk >= INACCURACY:
            left = -evidence.before
            return self._say("answer_costs", best=best, chances=_chances(min(1.0, left + risk), left))
        side = self.language.sides[chess.BLACK if evidence.is_black else chess.WHITE]
        simple = facts.best_takes is not None and evidence.before >= -BETTER
        return self._say("answer_takes" if simple else "answer_is", side=side, best=best)


def _stood_attacked(evidence: Evidence, taken: Effect) -> bool:
    """Whether the piece stood there before the move, and the other side attacked it."""
    before, (_, square) = parse_position(evidence.fen), taken.targets[0]
    return before.color_at(square) == before.turn and before.is_attacked_by(not before.turn, square)


def _takes_as_much(played: Facts, missed: Material) -> bool:
    """Whether a move takes at least half of what another one would have won."""
    won = sum(POINTS[kind] for kind in missed.lost) - sum(POINTS[kind] for kind in missed.gained)
    return played.taken is not None and 2 * POINTS[played.taken[0]] >= won


_TURNS = frozenset({"turns_round", "turns_lost", "throws_win", "lets_advantage_go"})
"""Verdicts that say what a move did to the game."""


def _chances(before: float | None, after: float | None) -> str:
    """`` (55 % → 24 %)``; empty where they were not measured."""
    if before is None or after is None:
        return ""
    return f" ({percent_of_chance(before)} → {percent_of_chance(after)})"


def _cost(evidence: Evidence) -> str:
    """What a losing move cost, as `_chances` writes it; empty where searches differ about it."""
    return _chances(evidence.before, evidence.after) if evidence.settled else ""
