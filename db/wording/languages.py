"""Languages that there are, by their codes."""

from collections.abc import Mapping
from enum import StrEnum

from db.wording.english import ENGLISH
from db.wording.german import GERMAN
from db.wording.grammar import Grammar


class Language(StrEnum):
    """Code of a language, ISO 639-1."""

    EN = "en"
    DE = "de"


LANGUAGES: Mapping[Language, Grammar] = {Language.EN: ENGLISH, Language.DE: GERMAN}
"""Each language; a test holds the table to the codes."""
