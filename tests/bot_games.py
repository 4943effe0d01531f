"""Games and people for the tests of the bot."""

from bot.lichess import USUAL_START, GameInfo, Person

INFO = GameInfo(
    id="abcdefgh",
    color="white",
    me=Person("me", "Me", "BOT"),
    opponent=Person("you", "You"),
    variant="standard",
    initial_fen=USUAL_START,
    rated=False,
    speed="blitz",
    initial=180_000,
    increment=2_000,
    created=0,
)
"""A casual blitz game in which we have White."""
