"""Lines of moves and what two killers have in common, as values; importing them opens no index."""

from dataclasses import dataclass

from db.traps.json_form import JSON_FORM


@dataclass(frozen=True, slots=True)
class Line:
    """Moves in the asked position."""

    __pydantic_config__ = JSON_FORM

    uci: tuple[str, ...]
    san: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """What a killer has in common with that of a known trap: why the two are similar."""

    __pydantic_config__ = JSON_FORM

    here: tuple[str, ...]
    """SAN, from the move on as far as it is known what follows."""
    there: tuple[str, ...]
    """The trap's killer line, SAN."""
    shared: tuple[str, ...]
    """Descriptions of the shared tokens that say most, the rarest first."""
