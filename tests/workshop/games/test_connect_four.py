"""Connect Four: its rules against what is known of the game."""

from workshop.games.rules.connect_four import ConnectFour


def test_connect_four_has_the_known_number_of_positions() -> None:
    # J. Tromp, https://tromp.github.io/c4/c4.html: positions after so many plies.
    game = ConnectFour()
    reached = {game.start()}
    for known in (7, 49, 238, 1120, 4263):
        reached = {game.play(position, move) for position in reached for move in game.moves(position)}
        assert len(reached) == known


def test_four_discs_win_in_every_direction() -> None:
    game = ConnectFour()
    for text in (
        "......./......./......./......./OOO..../XXXX... o",
        "......./......./X....../X....../XO...../XOO.... o",
        "......./......./...X.../..XO.../.XOO.../XOOX.X. o",
        "......./......./X....../OX...../OOX..../XOOX.X. o",
    ):
        position = game.parse(text)
        assert game.reward(position) == 1.0
        assert game.moves(position) == []
    full = "OOXXOOX/XXOOXXO/OOXXOOX/XXOOXXO/OOXXOOX/XXOOXXO x"
    assert game.reward(game.parse(full)) == 0.0
