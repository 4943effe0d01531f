"""Challenge, from its creation to its answer."""

from dataclasses import dataclass

import chess

from tests.fake_lichess.people import Account
from tests.fake_lichess.terms import Terms
from tests.fake_lichess.virtual_clock import Timer

#: Reasons to decline and what the challenger reads.
REASONS = {
    "generic": "I'm not accepting challenges at the moment.",
    "later": "This is not the right time for me, please ask again later.",
    "tooFast": "This time control is too fast for me, please challenge again with a slower game.",
    "tooSlow": "This time control is too slow for me, please challenge again with a faster game.",
    "timeControl": "I'm not accepting challenges with this time control.",
    "rated": "Please send me a rated challenge instead.",
    "casual": "Please send me a casual challenge instead.",
    "standard": "I'm not accepting variant challenges right now.",
    "variant": "I'm not willing to play this variant right now.",
    "noBot": "I'm not accepting challenges from bots.",
    "onlyBot": "I'm only accepting challenges from bots.",
}
#: Seconds after which a real-time challenge that nobody keeps alive can no longer be accepted.
EXPIRES = 20.0


@dataclass(eq=False)
class Challenge:
    """``status`` is one of lichess's: created, offline, canceled, declined, accepted."""

    id: str
    challenger: Account
    dest: Account
    terms: Terms
    challenger_color: chess.Color
    status: str = "created"
    reason: str = "generic"
    #: Id of the game that it is a rematch of, if it is one.
    rematch_of: str = ""
    expiry: Timer | None = None

    @property
    def open(self) -> bool:
        return self.status == "created"

    @property
    def reason_text(self) -> str:
        return REASONS[self.reason]

    def close(self, status: str) -> None:
        self.status = status
        if self.expiry is not None:
            self.expiry.cancel()
