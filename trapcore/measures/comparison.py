"""Two chess positions compared by any measure, always beside the baselines."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from trapcore.errors import UsageError
from trapcore.measures import (
    baselines,
    continuations,
    sampled,
    sequences,
    structural,
    tanimoto,
    terminal,
    tree_edit,
)
from trapcore.measures.options import (
    MAX_BASE_DEPTH,
    Base,
    Measure,
    Reference,
    Unpaired,
    checked_depth,
    chosen,
    comparing,
)
from trapcore.trees.chess_game import Labels, parse_position

OPTIONS: dict[str, tuple[Measure, ...]] = {
    "depth": tuple(measure for measure in Measure if measure is not Measure.TERMINAL),
    "prefixes": (Measure.SEQUENCES, Measure.TANIMOTO),
    "base": (Measure.STRUCTURAL, Measure.SAMPLED),
    "unpaired": (Measure.STRUCTURAL,),
    "reference": (Measure.STRUCTURAL,),
    "root": (Measure.STRUCTURAL,),
    "children": (Measure.SAMPLED,),
    "seed": (Measure.SAMPLED,),
    "unordered": (Measure.TREE_EDIT,),
}
"""Which measures an option belongs to."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure with its options. Raises ``UsageError`` for one out of range and for one of another measure.

    None means that an option was not given: the measure's own default counts, and `complete` fills it in.
    """

    measure: Measure
    labels: Labels = Labels.UCI
    captures: bool = False
    depth: int | None = None
    """Plies: 1..3; for tree-edit, and for the base of structural and sampled, 1..2."""
    prefixes: bool | None = None
    base: Base | None = None
    unpaired: Unpaired | None = None
    reference: Reference | None = None
    root: str | None = None
    """FEN of the position that both come from; with the reference ``root``."""
    children: int | None = None
    """How many are drawn of the position with more moves, 1 or more."""
    seed: int | None = None
    """0..2**64-1."""
    unordered: bool | None = None

    def __post_init__(self) -> None:
        """Raises ``UsageError`` for what does not go together."""
        for name, measures in OPTIONS.items():
            if getattr(self, name) is not None and self.measure not in measures:
                raise UsageError(f"--{name} belongs to {_listed(measures)}, not to {self.measure}")
        if self.depth is not None:
            if self.measure is Measure.TREE_EDIT:
                tree_edit.checked_edit_depth(self.depth)
            elif self.measure in OPTIONS["base"]:
                checked_depth(self.depth, MAX_BASE_DEPTH)
            else:
                checked_depth(self.depth)
        if (self.reference is Reference.ROOT) != (self.root is not None):
            raise UsageError("--reference root goes with --root, the FEN of the position that both come from")
        if self.root is not None:
            parse_position(self.root)
        if self.measure is Measure.SAMPLED:
            complete = self.complete()
            sampled.check(complete["children"], complete["seed"])

    def complete(self) -> dict[str, Any]:
        """The measure and every option that belongs to it, with defaults filled in."""
        defaults = {
            "depth": 1 if self.measure in OPTIONS["base"] else 2,
            "prefixes": False,
            "base": Base.CONTINUATIONS,
            "unpaired": Unpaired.FORMULA,
            "reference": Reference.PARENT,
            "root": None,
            "children": 12,
            "seed": 0,
            "unordered": False,
        }
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        own = [name for name, measures in OPTIONS.items() if self.measure in measures]
        options = {name: defaults[name] if given[name] is None else given[name] for name in own}
        if self.measure is Measure.TERMINAL:
            return {"measure": self.measure}
        result = {
            "measure": self.measure,
            "depth": options.pop("depth"),
            "labels": self.labels,
            "captures": self.captures,
            **options,
        }
        # Only a root has no default.
        return {name: value for name, value in result.items() if value is not None}

    def of(self, fen1: str, fen2: str) -> "Compared":
        """The similarity of two positions, and the baselines.

        Raises ``PositionError`` for a bad FEN or two positions that the measure cannot compare, and ``UsageError`` if
        trees are too large to be compared without an order.
        """
        options = self.complete()
        del options["measure"]
        error = None
        match self.measure:
            case Measure.SEQUENCES:
                value = sequences.of_positions(fen1, fen2, **options)
            case Measure.CONTINUATIONS:
                value = continuations.of_positions(fen1, fen2, **options)
            case Measure.STRUCTURAL:
                value = structural.of_positions(fen1, fen2, **options)
            case Measure.TREE_EDIT:
                value = tree_edit.of_positions(fen1, fen2, ordered=not options.pop("unordered"), **options)
            case Measure.TERMINAL:
                value = terminal.of_positions(fen1, fen2)
            case Measure.TANIMOTO:
                value = tanimoto.of_positions(fen1, fen2, **options)
            case Measure.SAMPLED:
                estimate = sampled.of_positions(fen1, fen2, **options)
                value, error = estimate.value, estimate.standard_error
        beside = {
            "move-count-ratio": baselines.move_count_ratio_of_positions(fen1, fen2),
            "board": baselines.board_similarity_of_positions(fen1, fen2),
        }
        return Compared(value, error, beside)

    def title(self) -> str:
        """The measure and its options in one line."""
        options = self.complete()
        words = []
        if "base" in options:
            words.append(f" on {options['base']}")
        if "unpaired" in options:
            words.append(f", unpaired {options['unpaired']}")
        if options.get("reference") == Reference.ROOT:
            words.append(", compared with the root")
        if "children" in options:
            words.append(f", {options['children']} children, seed {options['seed']}")
        if "depth" in options:
            words.append(f", depth {options['depth']}, labels {self.labels}{' with captures' if self.captures else ''}")
        if options.get("prefixes"):
            words.append(", shorter lines too")
        if options.get("unordered"):
            words.append(", in any order")
        return f"{self.measure}{''.join(words)}"


@dataclass(frozen=True, slots=True)
class Compared:
    """Result of a comparison."""

    value: float
    """0.0..1.0."""
    standard_error: float | None
    """Of an estimate; None where the value is exact."""
    baselines: dict[str, float]
    """By name, 0.0..1.0: similarity by the number of moves and by the board alone."""

    def answer(self) -> dict[str, Any]:
        """The same for JSON."""
        error = {} if self.standard_error is None else {"standard_error": self.standard_error}
        return {"value": self.value, **error, "baselines": self.baselines}


def chosen_comparison(measure: str, labels: str, *, captures: bool, **options: Any) -> Comparison:
    """The comparison with options by name, as text or number; raises ``UsageError``, naming the nearest valid name."""
    kinds = {"base": Base, "unpaired": Unpaired, "reference": Reference}
    read: dict[str, Any] = {
        name: chosen(kinds[name], value) if name in kinds and value is not None else value
        for name, value in options.items()
    }
    return Comparison(comparing(measure), chosen(Labels, labels), captures, **read)


def _listed(measures: Iterable[Measure]) -> str:
    *most, last = measures
    return f"{', '.join(most)} and {last}" if most else str(last)
