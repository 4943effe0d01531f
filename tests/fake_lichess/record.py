"""Record of what clients did, above all of violations, for the assertions of tests and of the soak."""

from collections import Counter
from dataclasses import dataclass, field

#: What a client can do wrong, as named in ``Violation.kind``.
VIOLATIONS = (
    "illegal_move",
    "repeated_move",
    "out_of_turn",
    "late_move",
    "long_message",
    "link",
    "repeated_message",
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
    """A chat message that a bot sent, shown or not."""

    game: str
    room: str
    text: str


@dataclass
class Record:
    """Record of all clients; the scripted players of the server are no clients."""

    violations: list[Violation] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)
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
