"""What a losing move is said to lose to is what answers it."""

from db.games.losing_themes import themes_of_line
from trapcore.proof.themes import line_themes


def test_a_quiet_move_later_in_the_line_is_not_what_the_move_loses_to() -> None:
    epd = "r2qkb1r/ppp1pppp/8/3n4/3n2b1/2N3P1/PPPPNPBP/R1BQK2R w KQkq -"
    line = ("g2d5", "d8d5", "f2f3", "d5f3", "h1g1", "f3f6", "d2d3", "e8c8", "h2h3", "g4e2")
    assert any(theme.name == "quietMove" and theme.ply > 1 for theme in line_themes(epd, line))
    assert themes_of_line(epd, line, "capture") == ("capture",)
    quiet = "6k1/p6p/8/8/8/8/6K1/N7 b - -"
    assert "quietMove" in themes_of_line(quiet, ("a7a6", "a1b3", "a6a5", "b3a5"), "quiet")
