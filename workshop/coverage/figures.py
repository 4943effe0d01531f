"""Figures of coverage: recall of the moves that lose, and agreement of what is claimed, as a whole and by kind."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from db.games.phases import PHASES
from db.traps.terms import KINDS
from workshop.coverage.judged import NEAR_MATE, RATINGS, Judged
from workshop.coverage.shares import Share
from workshop.report import Table

Feature = Callable[[Judged], str]

KIND = "kind of refutation"

BY: dict[str, tuple[Feature, Sequence[str]]] = {
    "phase": (lambda move: move.phase, PHASES),
    "rating of the mover": (lambda move: move.rating, RATINGS),
    "colour": (lambda move: move.colour, ("white", "black")),
}
"""What figures are divided by besides the kind: the feature of a move, and its values in order."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Both figures of some moves."""

    recall: Share
    """Of the moves that lose by the reference: claimed."""
    agreement: Share
    """Of the claims: borne out by the reference."""

    @classmethod
    def of(cls, moves: Sequence[Judged]) -> "Coverage":
        """Those of these moves."""
        return cls(
            Share.among(move.claim is not None for move in moves if move.loses),
            Share.among(move.agrees for move in moves if move.claim is not None),
        )


@dataclass(frozen=True, slots=True)
class Figures:
    """What is counted of the moves of labelled games."""

    moves: int
    games: int
    total: Coverage
    near_mates: Share
    """Of the mates in up to `NEAR_MATE` walked into though avoidable: claimed."""
    missed_mates: Share
    """Of the mates in up to `NEAR_MATE` on the board that were let go: reported as missed."""
    by: dict[str, dict[str, Coverage]]
    """By the features of `BY` and by file; values that no losing move and no claim has are left out."""

    @classmethod
    def of(cls, moves: Sequence[Judged]) -> "Figures":
        """Count."""
        files = tuple(dict.fromkeys(move.game.file for move in moves))
        features: dict[str, tuple[Feature, Sequence[str]]] = {**BY, "file": (lambda move: move.game.file, files)}
        divided = {KIND: _of_kinds(moves)}
        divided |= {name: _divided(moves, feature, values) for name, (feature, values) in features.items()}
        return cls(
            len(moves),
            len({move.game.key for move in moves}),
            Coverage.of(moves),
            Share.among(move.claim is not None for move in moves if move.is_near_mate),
            Share.among(move.told_as_missed for move in moves if move.misses_mate),
            divided,
        )

    def table(self, by: str) -> Table:
        """Recall and agreement divided by one feature."""
        header = (by, "recall", "losing moves told", "95 %", "agree", "claims that agree", "95 %")
        rows = [(value, *found.recall.cells(), *found.agreement.cells()) for value, found in self.by[by].items()]
        return Table(header, (*rows, ("all", *self.total.recall.cells(), *self.total.agreement.cells())))

    def shares(self) -> dict[str, Share]:
        """The figures of all moves by their names."""
        return {
            "losing moves told": self.total.recall,
            "claims that agree": self.total.agreement,
            f"mates in up to {NEAR_MATE} walked into though avoidable, told": self.near_mates,
            f"mates in up to {NEAR_MATE} on the board let go, told": self.missed_mates,
        }


def _divided(moves: Sequence[Judged], feature: Feature, values: Sequence[str]) -> dict[str, Coverage]:
    counted = [move for move in moves if move.loses or move.claim is not None]
    divided: dict[str, list[Judged]] = {value: [] for value in values}
    for move in counted:
        divided[feature(move)].append(move)
    return {value: Coverage.of(found) for value, found in divided.items() if found}


def _of_kinds(moves: Sequence[Judged]) -> dict[str, Coverage]:
    lost = [move for move in moves if move.loses]
    claims = [move for move in moves if move.claim is not None]
    found = {}
    for kind in KINDS:
        recall = Share.among(move.claim is not None for move in lost if move.kind == kind)
        found[kind] = Coverage(recall, Share.among(move.agrees for move in claims if move.claimed_kind == kind))
    return found
