"""Names of lines that nobody has named: by the theme, the piece and its square."""

import pytest

from db.wording.languages.english import ENGLISH
from db.wording.patterns import PATTERNS, pattern_of
from tests.support.db_traps import LEGAL_FEN
from trapcore.proof.themes import THEMES

BACK_RANK = ("6k1/5ppp/8/8/8/8/r4PPP/3QR1K1 b - - 0 1", ("a2b2", "e1e8"))
FORK = ("r1b1kb1r/pppp1ppp/8/4N3/1nP1n3/8/PP1NQPPP/R1B1KB1R b KQkq - 0 1", ("b4c6", "e5c6"))


def test_every_pattern_is_a_theme_with_a_name() -> None:
    assert set(PATTERNS) <= {*THEMES, "zugzwang"}
    assert set(PATTERNS) - {"zugzwang"} <= ENGLISH.theme_names.keys()


@pytest.mark.parametrize(
    ("line", "tags", "expected"),
    [
        (BACK_RANK, (), ("back-rank-mate", "Back-rank mate with the rook on e8")),
        # A tag that our themes do not see names the line without a piece.
        (BACK_RANK, ("mate", "hookMate"), ("hook-mate", "Hook mate")),
        ((LEGAL_FEN, ("g4d1", "c4f7", "e8e7", "c3d5")), ("mateIn2",), None),
        (("8/8/8/8/8/5k2/4p3/4K2r w - - 0 1", ("e1d2", "e2e1q")), ("mate",), None),
        (("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2", ("g1f3", "b8c6")), (), None),
    ],
)
def test_names(line: tuple[str, tuple[str, ...]], tags: tuple[str, ...], expected: tuple[str, str] | None) -> None:
    family, name = pattern_of(*line, tags)
    if expected is not None:
        assert (family, name) == expected
    assert name[0].isupper()
    assert family == family.lower()
    assert not any(letter.isdigit() for letter in name.split(" on ")[0].replace("Mate in ", "").replace("f2 or f7", ""))
