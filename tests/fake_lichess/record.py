"""Record of what clients did, above all of violations, for the assertions of tests and of the soak."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

#: What a client can do wrong, as named in ``Violation.kind``.
VIOLATIONS = (
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
    "drawn_win",
    "unknown_address",
    "unpublished_request",
    "stream_opens",
)


@dataclass(frozen=True)
class Violation:
    """Violation by a client, in a game or outside one (empty), at a second of the server's time."""

    kind: str
    who: str
    game: str
    detail: str
    at: float


@dataclass(frozen=True)
class ChatMessage:
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
    """A bot's move: real seconds since the move before it was made, and what was left on the bot's clock (ms).

    ``at`` is when it came, in monotonic seconds, to be compared with the log of the faults.
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
    """Record of all clients; the scripted players of the server are no clients."""

    violations: list[Violation] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    #: Openings of the event stream: (name, second of the server's time), refused ones too.
    opens: list[tuple[str, float]] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    user_agents: set[str] = field(default_factory=set)

    def add_violation(self, kind: str, who: str, game: str, detail: str, at: float) -> None:
        if kind not in VIOLATIONS:
            raise ValueError(f"no such violation: {kind}")
        self.violations.append(Violation(kind, who, game, detail, at))

    def of(self, *kinds: str) -> list[Violation]:
        return [violation for violation in self.violations if violation.kind in kinds]

    def most_opens(self, window: float = 600) -> int:
        """The most event streams one client opened in any ``window`` seconds."""
        most = 0
        for who in {name for name, _ in self.opens}:
            times = sorted(at for name, at in self.opens if name == who)
            most = max([most, *(sum(start <= at < start + window for at in times) for start in times)])
        return most

    def as_json(self) -> dict[str, Any]:
        return {
            "violations": [asdict(violation) for violation in self.violations],
            "messages": [asdict(message) for message in self.messages],
            "replies": [asdict(reply) for reply in self.replies],
            "opens": self.opens,
            "most_opens": self.most_opens(),
            "requests": dict(self.requests),
            "user_agents": sorted(self.user_agents),
        }
