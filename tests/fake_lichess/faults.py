"""Fault injection between client and server, by script or at random rates."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

#: On a stream, at one of its lines.
ON_LINES = {
    "cut": "the connection is reset inside the line",
    "silence": "nothing more is written, not even a keep-alive; the connection stays",
    "end": "the stream ends cleanly",
    "duplicate": "the line is sent twice",
    "reorder": "the line is sent after the next one, or a second later if none comes",
    "malformed": "a line that is no JSON comes first",
    "half": "half of the line, then a clean end",
    "unknown": "an event of an unknown type comes first, and the line has fields nobody knows",
}
#: On a request, stream or not, before it does anything.
ON_REQUESTS = {
    "429": "too many requests, without Retry-After",
    "429-retry": "too many requests, with Retry-After of `seconds`",
    "401": "no such token, although there is one",
    "500": "a server error",
    "502": "a gateway's error page in HTML",
    "503": "the same while the server behind it is not there",
    "slow": "the answer takes `seconds` longer",
}
#: On a request, after it was done.
ON_ANSWERS = {"lost": "the connection is reset instead of an answer: the client cannot know that it was done"}
#: On everything at once.
ON_ALL = {
    "restart": "all connections are reset and new ones refused for `seconds`; the state is kept",
    "skew": "the server's dates are wrong by `seconds` from now on",
}
KINDS = {**ON_LINES, **ON_REQUESTS, **ON_ANSWERS, **ON_ALL}
#: Lines that keep a connection alive suffer these alone.
ON_EMPTY_LINES = {"cut", "silence", "end"}

#: Rates per line or request at which a bot must still lose nothing.
USUAL_RATES = {
    "cut": 0.004,
    "silence": 0.001,
    "end": 0.004,
    "duplicate": 0.02,
    "reorder": 0.01,
    "malformed": 0.004,
    "half": 0.002,
    "unknown": 0.01,
    "429": 0.001,
    "429-retry": 0.002,
    "401": 0.0005,
    "500": 0.005,
    "502": 0.002,
    "slow": 0.01,
    "lost": 0.003,
    "restart": 0.0002,
    "skew": 0.0005,
}


@dataclass
class Fault:
    """One fault.

    ``where`` restricts it to addresses that contain this text (``/api/stream/event``, ``/move/``, a game's id);
    ``after`` is the number of bytes a stream has carried before; ``seconds`` as KINDS has it; it happens
    ``times`` times.
    """

    kind: str
    where: str = ""
    after: int = 0
    seconds: float = 1.0
    times: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no such fault: {self.kind}; there are {', '.join(KINDS)}")


@dataclass
class Faults:
    """The orders: ``script`` first, in its order where several fit, then ``rates`` (chance per line or request)."""

    script: list[Fault] = field(default_factory=list)
    rates: dict[str, float] = field(default_factory=dict)
    seed: int = 0
    #: By which the rates are multiplied where an address contains the text: some streams may be opened but so often.
    sparing: dict[str, float] = field(default_factory=dict)
    #: What happened, and how often.
    happened: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def order(self, *faults: Fault) -> None:
        self.script.extend(faults)

    def at_random(self, rates: Mapping[str, float], seed: int, sparing: Mapping[str, float] | None = None) -> None:
        """Inject faults at random, at rates reduced by the factors of ``sparing``.

        ValueError for an unknown kind or a rate outside 0..1.
        """
        for kind, rate in rates.items():
            if kind not in KINDS:
                raise ValueError(f"no such fault: {kind}; there are {', '.join(KINDS)}")
            if not 0 <= rate <= 1:
                raise ValueError(f"the rate of {kind} is {rate}, not a number from 0 to 1")
        self.rates = dict(rates)
        self.sparing = dict(sparing or {})
        self.seed = seed
        self._random = random.Random(seed)

    def clear(self) -> None:
        self.script.clear()
        self.rates.clear()

    def on_line(self, where: str, sent: int, line: bytes) -> Fault | None:
        """Fault of the next line of a stream that has carried ``sent`` bytes."""
        kinds = set(ON_LINES) if line.strip() else ON_EMPTY_LINES
        scripted = self._scripted(kinds, where, sent + len(line))
        if scripted is not None:
            return scripted
        drawn = self._draw(kinds, where)
        return Fault(drawn, after=sent + self._random.randrange(len(line))) if drawn else None

    def on_request(self, where: str) -> Fault | None:
        """Fault of a request before it takes effect, including a restart or a skew."""
        kinds = {*ON_REQUESTS, *ON_ALL}
        scripted = self._scripted(kinds, where, None)
        if scripted is not None:
            return scripted
        drawn = self._draw(kinds, where)
        return Fault(drawn, seconds=self._seconds(drawn)) if drawn else None

    def on_answer(self, where: str) -> Fault | None:
        """Fault of the answer to a request that took effect."""
        scripted = self._scripted(set(ON_ANSWERS), where, None)
        if scripted is not None:
            return scripted
        drawn = self._draw(set(ON_ANSWERS), where)
        return Fault(drawn) if drawn else None

    def _seconds(self, kind: str) -> float:
        if kind == "skew":
            return self._random.uniform(-3600, 3600)
        return float(self._random.randint(1, 2))

    def _scripted(self, kinds: set[str], where: str, carried: int | None) -> Fault | None:
        for fault in self.script:
            if fault.kind in kinds and fault.where in where and (carried is None or carried > fault.after):
                fault.times -= 1
                if fault.times <= 0:
                    self.script.remove(fault)
                self.happened[fault.kind] += 1
                return fault
        return None

    def _draw(self, kinds: set[str], where: str) -> str:
        drawn = self._random.random()
        factor = next((factor for part, factor in self.sparing.items() if part in where), 1.0)
        for kind, rate in self.rates.items():
            if kind in kinds:
                if drawn < rate * factor:
                    self.happened[kind] += 1
                    return kind
                drawn -= rate * factor
        return ""
