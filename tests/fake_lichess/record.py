"""What a client did, above all what it did wrong, kept for the assertions of tests and of the soak."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

#: What a client can do wrong, as named in ``Wrong.kind``.
WRONGS = (
    "illegal_move",
    "repeated_move",
    "out_of_turn",
    "late_move",
    "long_message",
    "link",
    "repeated_message",
    "message_after_end",
    "lost_on_time",
    "abandoned",
    "unknown_address",
    "stream_opens",
)


@dataclass(frozen=True)
class Wrong:
    """One thing done wrong: by whom, in which game (empty outside one), at which second of the server's time."""

    kind: str
    who: str
    game: str
    detail: str
    at: float


@dataclass(frozen=True)
class Said:
    """A chat message a bot sent, whether it was shown or not; ``ply`` is the number of moves played by then."""

    game: str
    who: str
    room: str
    text: str
    ply: int
    over: bool
    shown: bool


@dataclass(frozen=True)
class Reply:
    """A bot's move: real seconds since the move before it was made, and what the bot's clock held then (ms).

    ``at`` is when it came, in monotonic seconds, to be held against the log of the faults.
    """

    game: str
    who: str
    ply: int
    move: str
    seconds: float
    left_ms: int
    at: float


@dataclass
class Record:
    """Everything kept about the clients; the scripted players of the server are no clients."""

    wrongs: list[Wrong] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    #: Openings of the event stream: (name, second of the server's time), refused ones too.
    opens: list[tuple[str, float]] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    user_agents: set[str] = field(default_factory=set)

    def wrong(self, kind: str, who: str, game: str, detail: str, at: float) -> None:
        if kind not in WRONGS:
            raise ValueError(f"no such wrong: {kind}")
        self.wrongs.append(Wrong(kind, who, game, detail, at))

    def of(self, *kinds: str) -> list[Wrong]:
        return [wrong for wrong in self.wrongs if wrong.kind in kinds]

    def most_opens(self, window: float = 600) -> int:
        """The most event streams one client opened in any ``window`` seconds."""
        most = 0
        for who in {name for name, _ in self.opens}:
            times = sorted(at for name, at in self.opens if name == who)
            most = max([most, *(sum(start <= at < start + window for at in times) for start in times)])
        return most

    def as_json(self) -> dict[str, Any]:
        return {
            "wrongs": [asdict(wrong) for wrong in self.wrongs],
            "said": [asdict(said) for said in self.said],
            "replies": [asdict(reply) for reply in self.replies],
            "opens": self.opens,
            "most_opens": self.most_opens(),
            "requests": dict(self.requests),
            "user_agents": sorted(self.user_agents),
        }
