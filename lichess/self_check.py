"""Findings of a self-check (``--check``), which bot and service share. Nothing is changed by one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from lichess.token import TokenSource, is_exposed
from trapcore.errors import TraplineError

Outcome = Literal["good", "bad", "unchecked"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check."""

    what: str
    outcome: Outcome
    message: str


def attempt(what: str, look: Callable[[], str]) -> Iterator[Finding]:
    """The finding of a check that raises an error if something is wrong; none if its message is empty."""
    try:
        message = look()
    except (TraplineError, OSError) as error:
        yield Finding(what, "bad", str(error))
    else:
        if message:
            yield Finding(what, "good", message)


def exposed(settings: TokenSource) -> Iterator[Finding]:
    """A finding if others can read the token file."""
    if is_exposed(settings):
        yield Finding("token", "bad", f"others can read {settings.token_file}; chmod 600 it")
