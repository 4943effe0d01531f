"""Languages that there are, by their codes."""

from collections.abc import Mapping
from enum import StrEnum

from db.wording.languages.english import ENGLISH
from db.wording.languages.german import GERMAN
from db.wording.languages.grammar import Grammar


class Language(StrEnum):
    """Code of a language, ISO 639-1."""

    EN = "en"
    DE = "de"


OWN_WORDS: Mapping[Language, Grammar] = {Language.EN: ENGLISH, Language.DE: GERMAN}
"""The words that each language has itself; a test finds what one lacks."""

LANGUAGES: Mapping[Language, Grammar] = {code: words.completed_by(ENGLISH) for code, words in OWN_WORDS.items()}
"""Each language, with English words for what it lacks."""
