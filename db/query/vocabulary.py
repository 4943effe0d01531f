"""Words that a search understands, and what they ask for."""

import re
from collections.abc import Mapping

from db.storage.name_index import words_of
from db.wording.languages.english import ENGLISH
from db.wording.names import theme_name
from db.wording.patterns import PATTERNS


def words_in(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


PIECES: Mapping[str, str] = {"pawn": "P", "knight": "N", "bishop": "B", "rook": "R", "queen": "Q", "king": "K"}

NUMBERS: Mapping[str, str] = {
    word: str(number) for number, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight"), 1)
}

OTHER_NAMES: Mapping[str, str] = {
    "spanish (?:opening|game)|spanish(?! )": "ruy lopez",
    "petroff|russian game|russian defen[cs]e": "petrovs",
    "caro kan": "caro kann",
    "caro": "caro kann",
    "qgd": "queens gambit declined",
    "qga": "queens gambit accepted",
    "kid": "kings indian",
    "kia": "kings indian attack",
    "nid": "nimzo indian",
    "icbm": "tennison",
    "defence": "defense",
    "centre": "center",
    "friedliver": "fried liver",
    "(?:4|four) moves? (?:check ?)?mate|schafermatt": "scholars mate",
    "(?:2|two) moves? (?:check ?)?mate|narrenmatt": "fools mate",
    "seekadettenmatt": "sea cadet mate",
    "check mates?": "checkmate",
}
"""What people write for what the openings and traps are called here."""

THEME_WORDS: Mapping[str, str] = {
    **{name: " ".join(words_of(theme_name(name, ENGLISH))) for name in PATTERNS},
    "fork": "forks?|forking|double attack",
    "pin": "pins?|pinned|pinning",
    "skewer": "skewers?|skewered",
    "discoveredAttack": "discovered attacks?|discovery|discoveries",
    "discoveredCheck": "discovered checks?",
    "doubleCheck": "double checks?",
    "deflection": "deflections?|deflect(?:ed|s)",
    "attraction": "attraction|decoy",
    "capturingDefender": "(?:removing|capture of|capturing) the defender",
    "intermezzo": "intermezzo|zwischenzug|in between move",
    "sacrifice": "sacrifices?|sacs?|sacrificed",
    "smotheredMate": "smothered(?: mates?)?",
    "backRankMate": "back ?rank(?: mates?)?|backrank(?: mates?)?",
    "promotion": "promotions?|promotes|promoting",
    "enPassant": "en passant",
    "attackingF2F7": "attacks? on f[27](?: or f[27])?",
    "mate": "mates?|checkmates?|mated|mating",
}
"""Regular expressions of themes that a piece and a square may stand beside; a trapped piece has its own grammar."""

NOISE = words_in(
    "a an the in on of for from with and or to at by is are it its that this which where after into me my "
    "your you we i show find list give see all any every some what how opening openings chess line lines "
    "trap traps tricks trick game games system variation as play playing player players please"
)
"""Words that ask for nothing by themselves."""

AGAINST = words_in("against vs versus beat beating anti punish punishing crush crushing refute")
"""Words before an opening that ask for traps into which its player falls."""

KNOWN = (
    NOISE
    | AGAINST
    | PIECES.keys()
    | NUMBERS.keys()
    | frozenset(word for words in THEME_WORDS.values() for word in re.findall(r"[a-z]{3,}", words))
    | words_in(
        "white black falls fell loses sets below under above over between rating rated beginner beginners "
        "trapped trapping traps checkmate proved proven refuted debunked undecided unproved common popular "
        "frequent often shortest quick quickest fastest win wins winning lose losing lost queens knights "
        "bishops rooks pawns most least forks pins skewers mates moves move"
    )
)
"""Words that are spelt right, and that others may be meant for."""
