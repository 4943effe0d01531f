"""Conditions of queries, each declared once: as the annotation of a field of a dataclass.

The options of the command line, the parameters over HTTP and the fields of the search form are made from them. Each of
the three gives texts, which `query_of` reads.
"""

import re
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields, replace
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, get_args

from trapcore.errors import Message, UsageError, unknown_name

LONGEST_TEXT = 200
"""Characters of a condition that is a text."""

_NUMBERS = {int: "integer", float: "number"}
_BOOLS = {"true": True, "1": True, "false": False, "0": False}

Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True)
class Condition:
    """What is known of a condition; `conditions_of` fills in the last five fields."""

    help: str
    """What it asks for, for the help of the option and the description of the parameter."""
    _: KW_ONLY
    flag: str = ""
    """Its option on the command line, if that is not its name."""
    label: str = ""
    """Above its field in the search form; empty for what has no field of its own there."""
    metavar: str = "TEXT"
    """What stands for the value in the help of the option, if there are no choices."""
    example: str = ""
    """Values that are right, for a field and for an error."""
    choices: Collection[str] = ()
    """The values that are allowed; empty for any. Those of an enumeration follow from it."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Values that the form offers, with their words; those of choices are the choices themselves if left out."""
    nothing: str = "any"
    """What the form offers in place of a value."""
    least: float | None = None
    """Of a number, as ``most``: both or none."""
    most: float | None = None
    longest: int = LONGEST_TEXT
    """Characters of a text."""
    pattern: re.Pattern[str] | None = None
    """Of a text; its error shows ``example``."""
    name: str = ""
    kind: type = str
    """Of its value: str, bool, int, float or an enumeration of texts."""
    default: Any = None
    required: bool = False
    """Nothing can be asked without it."""
    pair: str = ""
    """``rating`` of ``min_rating`` and ``max_rating``, which are one option and one field; empty without a partner."""

    @property
    def option(self) -> str:
        """Its option on the command line."""
        return self.flag or f"--{(self.pair or self.name).replace('_', '-')}"

    def schema(self) -> dict[str, Any]:
        """JSON schema of its value."""
        found: dict[str, Any] = {"type": (_NUMBERS | {bool: "boolean"}).get(self.kind, "string")}
        if self.choices:
            found["enum"] = list(self.choices)
        elif self.kind is str:
            found |= {"minLength": 1, "maxLength": self.longest}
        if self.least is not None:
            found |= {"minimum": self.least, "maximum": self.most}
        return found if self.default is None else found | {"default": self.default}

    def read(self, text: str) -> object:
        """Value of a text. Raises `UsageError` for one that is no number or no truth value."""
        name, shown = Message(self.name), text[:LONGEST_TEXT]
        if self.kind is bool and text.lower() not in _BOOLS:
            raise UsageError("{name} must be true or false, not {text!r}", name=name, text=shown)
        try:
            return _BOOLS[text.lower()] if self.kind is bool else self.kind(text) if self.kind in _NUMBERS else text
        except ValueError:
            raise UsageError("{name} must be a number, not {text!r}", name=name, text=shown) from None

    def checked(self, value: Any) -> object:
        """The value, a name of an enumeration as its member. Raises `UsageError` for what is not allowed."""
        name = Message(self.name)
        if isinstance(value, str):
            self._check_text(value)
            if self.choices and value not in self.choices:
                raise unknown_name(self.name, value, self.choices)
            if self.pattern and not self.pattern.fullmatch(value):
                raise UsageError(
                    "{name} must be like {example}, not {text!r}", name=name, example=self.example, text=value
                )
            return self.kind(value) if issubclass(self.kind, StrEnum) else value
        # Not `value < least or value > most`, which lets a NaN through.
        if self.least is not None and self.most is not None and not self.least <= value <= self.most:
            about = {"least": self.least, "most": self.most, "value": value}
            raise UsageError("{name} must be {least} to {most}, not {value}", name=name, **about)
        return value

    def _check_text(self, value: str) -> None:
        name = Message(self.name)
        if not value.strip():
            raise UsageError("{name} is empty; leave it out to ask without it", name=name)
        if len(value) > self.longest:
            raise UsageError(
                "{name} has {length:,} characters, more than {most:,}", name=name, length=len(value), most=self.longest
            )
        # Databases refuse the one, terminals and pages the others.
        if any(not letter.isprintable() and letter not in "\t\r\n" for letter in value):
            raise UsageError("{name} has characters that cannot be printed: {text!r}", name=name, text=value)


@cache
def conditions_of(query: Hashable) -> Mapping[str, Condition]:
    """The conditions of a kind of query, a dataclass, by their names and in their order."""
    declared = {each.name: (*get_args(each.type), each.default) for each in fields(query)}  # type: ignore[arg-type]
    made = {}
    for name, (hint, about, default) in declared.items():
        kind = next((part for part in get_args(hint) if part is not type(None)), hint)
        choices = tuple(map(str, about.choices or (kind if issubclass(kind, StrEnum) else ())))
        bound = re.sub("^(min|max)_", "", name)
        pair = bound if {f"min_{bound}", f"max_{bound}"} <= declared.keys() else ""
        words = about.words or {choice: choice for choice in choices}
        required = default is MISSING
        made[name] = replace(
            about,
            name=name,
            kind=kind,
            default=None if required else default,
            required=required,
            pair=pair,
            choices=choices,
            words=words,
        )
    return made


def query_of(kind: Callable[..., Asked], texts: Mapping[str, str]) -> Asked:
    """Query with the conditions of these texts by name. Raises `UsageError`, which says what is allowed."""
    known = conditions_of(kind)
    for name in texts:
        if name not in known:
            raise unknown_name("parameter", name[:100], known)
    for name, each in known.items():
        if each.required and name not in texts:
            raise UsageError("{name} is missing", name=Message(name))
    return kind(**{name: known[name].read(text) for name, text in texts.items()})


def check(query: object) -> None:
    """Check each condition of a query by itself, and bounds with their partners. Raises `UsageError`."""
    for name, each in conditions_of(type(query)).items():  # type: ignore[arg-type]
        if (value := getattr(query, name)) is None:
            continue
        object.__setattr__(query, name, each.checked(value))
        low = getattr(query, f"min_{each.pair}") if name == f"max_{each.pair}" else None
        if low is not None and low > value:
            raise UsageError("min_{name} is {low}, more than max_{name}, {high}", name=each.pair, low=low, high=value)
