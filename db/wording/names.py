"""Names of traps, families and openings as people read them; slugs are for those who must type them."""

import re
from collections.abc import Mapping
from functools import lru_cache

from db.wording.languages.grammar import Grammar

_NAMES_ITSELF = re.compile(r"(trap|mate|fishing pole|king hunt)( (by|with) .*)?$", re.IGNORECASE)
_SAN = r"(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?[+#]?)"
# Which variation it is, ", 7.Ke1" or ", Nxa2 and Bb4 mate": the sentence has the moves itself.
_MOVES_BEHIND = re.compile(rf", (?:\d+\.[^,]*|{_SAN}(?: and {_SAN})*(?: mate)?)$| {_SAN}(?: and {_SAN})* mate$")
_POSSESSIVE = re.compile(r"(?!Noah)\S+['’]s\b")  # as the first word

FAMILIES: Mapping[str, str] = {
    "from": "From's gambit",
    "fools": "Fool's mate",
    "legal": "Légal's mate",
    "scholars": "Scholar's mate",
    "noahs-ark": "Noah's Ark",
    "poisoned-pawn": "Poisoned pawn",
    "caro-kann-smothered": "Caro-Kann, smothered mate",
    "sicilian-smothered": "Sicilian, smothered mate",
    "lasker-albin": "Lasker trap, Albin Countergambit",
    "ruy-lopez-mates": "Ruy Lopez mates",
    "black-knights-tango": "Black Knights' Tango",
    "two-knights": "Two Knights Defence",
    "alekhine": "Alekhine's Defence",
    "owen": "Owen's Defence",
    "greco": "Greco's traps",
}
"""Names of families of the bundled traps that do not follow from their slugs."""

_HYPHENATED = re.compile(
    r"\b(alekhine-chatard|anglo-(?:dutch|slav)|blackmar-diemer|boden-kieseritzky|busch-gass|caro-kann|cochrane-shumov"
    r"|colle-zukertort|frankenstein-dracula|ghulam-kassim|gibbins-weidenhagen|hamppe-muzio|lanc-arnold|lopez-gianutio"
    r"|milner-barry|neo-grunfeld|nimzo-(?:indian|larsen)|reti-tartakower|richter-rauzer|schiller-pytel"
    r"|semi-(?:averbakh|slav|tarrasch)|smith-morra)\b"
)
_WORDS: Mapping[str, str] = {
    "adams": "Adams'",
    "benkos": "Benko's",
    "birds": "Bird's",
    "bishops": "Bishop's",
    "del": "del",
    "goring": "Göring",
    "grunfeld": "Grünfeld",
    "kings": "King's",
    "maroczy": "Maróczy",
    "mccutcheon": "McCutcheon",
    "mcdonnell": "McDonnell",
    "okelly": "O'Kelly",
    "queens": "Queen's",
    "reti": "Réti",
    "samisch": "Sämisch",
    "von": "von",
    "wurzburger": "Würzburger",
}
"""Words of slugs that are not written with a capital letter and no more."""


def family_name(slug: str) -> str:
    """The name of a family: ``Légal's mate`` for ``legal``, ``Caro-Kann Advance`` for ``caro-kann-advance``."""
    if slug in FAMILIES:
        return FAMILIES[slug]
    parts = _HYPHENATED.sub(lambda found: found[0].replace("-", "_"), slug).split("-")
    return " ".join("-".join(_WORDS.get(word, word.capitalize()) for word in part.split("_")) for part in parts)


def theme_name(theme: str, language: Grammar, *, in_sentence: bool = False) -> str:
    """A theme in words: ``discovered attack``, and with ``in_sentence`` as an object, ``a discovered attack``."""
    return language.theme_names.get(theme, (theme, theme))[in_sentence]


@lru_cache(maxsize=4096)
def safe_name(text: str) -> str:
    """A name as it may stand in a comment: one line, no braces, no commands, straight quotes, and without ``The``."""
    straight = text.translate(str.maketrans("‘’“”{}", "''\"\"  ")).replace("[%", "[")
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in straight).split())
    return plain.removeprefix("The ")


def trap_name(name: str, language: Grammar, *, mirrored: bool = False) -> str:
    """What a known trap is called in a sentence: ``Légal's mate``, ``the Elephant trap``, ``a known trap (Traxler)``
    for ``Traxler, 7.Ke1``."""
    plain = safe_name(name)
    head = plain.partition(", ")[0]
    if _NAMES_ITSELF.search(head):
        plain, possessive = language.articles
        called = (possessive if _POSSESSIVE.match(head) else plain).format(name=head)
    else:
        called = language.known_trap.format(name=_MOVES_BEHIND.sub("", plain))
    return language.reversed_colours.format(name=called) if mirrored else called
