"""Style of the comments: how much is reported, in which language, and what is written beside the words."""

from dataclasses import dataclass

from annotator.comments.closing import MOST_WORDS as CLOSING_WORDS
from db.wording.languages.available import LANGUAGES, Language
from db.wording.languages.grammar import Verbosity
from db.wording.sentences import Narrator

MOST_WORDS = {Verbosity.BRIEF: 60, Verbosity.NORMAL: 150, Verbosity.FULL: 400}
"""Words of all comments of a game, as `word_count` counts them."""


def word_count(text: str) -> int:
    """Words of a comment: a figure with its percent sign counts as one, an arrow not at all."""
    return sum(word not in ("%", "→", "->") for word in text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """Options of the comments."""

    verbosity: Verbosity = Verbosity.NORMAL
    language: Language = Language.EN
    evidence: bool = False
    """Who proved what, and how similar a trap is, stands in the comments as well."""
    closing: bool = False
    """A game in which moves lose has a comment at its end."""
    evaluations: bool = False
    """``[%eval]`` is written behind every move whose value is known and that has none."""

    @property
    def most_words(self) -> int | None:
        """Words of the comments of a game besides the one at its end; None for as many as there are."""
        return None if self.evidence else MOST_WORDS[self.verbosity] - CLOSING_WORDS * self.closing

    @property
    def narrator(self) -> Narrator:
        """The object that writes the sentences."""
        return Narrator(LANGUAGES[self.language], self.verbosity, beside_move=True)
