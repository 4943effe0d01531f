"""``python -m tests.fake_lichess``: server for trying a bot by hand."""

import argparse
import random
import signal
import sys
import threading

from tests.fake_lichess.faults import KINDS, USUAL_RATES
from tests.fake_lichess.http.server import Server
from tests.fake_lichess.people import Account
from tests.fake_lichess.players import Habits, Player
from tests.fake_lichess.site import Site
from tests.fake_lichess.terms import Terms


def main(arguments: list[str]) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.fake_lichess", description=__doc__)
    parser.add_argument("--port", type=int, default=9663)
    parser.add_argument("--bot", default="TrapBot", help="name of the account the bot signs in with")
    parser.add_argument("--token", default="lip_trapbot", help="its token")
    parser.add_argument("--opponents", type=int, default=1, help="players who challenge the bot again and again")
    parser.add_argument("--clock", default="180+2", help="seconds and increment of their challenges")
    parser.add_argument("--faults", default="", help=f"'all', or some of {','.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    limit, increment = (int(part) for part in given.clock.split("+"))
    try:
        with Server(given.port, seed=given.seed, strict=False) as server:
            account = server.do(lambda site: site.join(given.bot, "BOT"))
            server.do(lambda site: site.token(account, given.token))
            if given.faults:
                kinds = list(KINDS) if given.faults == "all" else given.faults.split(",")
                server.faults.at_random({kind: USUAL_RATES.get(kind, 0.0) for kind in kinds}, given.seed)
            terms = Terms(limit=limit, increment=increment)
            for number in range(given.opponents):
                server.do(lambda site, number=number: _seat(site, account, terms, number, given.seed))  # type: ignore[misc]
            print(f"{server.url} knows {given.bot} by the token {given.token}", flush=True)
            _until_interrupted()
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _seat(site: Site, bot: Account, terms: Terms, number: int, seed: int) -> None:
    habits = Habits(think=(0.2, 3.0), talk=0.1, offer_draw=0.02, ask_takeback=0.02)
    player = Player(
        site,
        site.join(f"Opponent{number + 1}", rating=random.Random(number).randint(1100, 1900)),
        habits,
        seed + number,
    )

    def again() -> None:
        if bot.online and not site.running(player.account) and not site.challenges_of(player.account)[1]:
            player.challenge(bot, terms)
        site.clock.after(3.0, again)

    again()


def _until_interrupted() -> None:
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()


sys.exit(main(sys.argv[1:]))
