"""Chat of one game under lichess's rules: two rooms, short lines, no links from bots, no repetition from people."""

import re
from collections import deque
from dataclasses import dataclass

from tests.fake_lichess.people import Account, Refused

#: Most characters of a line, and most lines of a room.
LONGEST, KEPT = 140, 150
ROOMS = ("player", "spectator")
#: A person's line is dropped if it equals one of the last so many of the same person.
REMEMBERED = 3
LINK = re.compile(r"https?://|www\.|\b[a-z0-9-]+\.(org|com|net|io|gg|ovh|dev|app|tv|me|ly)\b", re.IGNORECASE)
#: The name under which the server itself speaks.
SERVER = "lichess"


@dataclass(frozen=True)
class Line:
    """Line of chat."""

    user: str
    text: str


class Chat:
    """The lines of both rooms."""

    def __init__(self) -> None:
        self.rooms: dict[str, deque[Line]] = {room: deque(maxlen=KEPT) for room in ROOMS}

    def write(self, author: Account, room: str, text: str) -> Line | None:
        """The accepted line, or None where lichess drops it silently."""
        if room not in self.rooms:
            raise Refused("room: Invalid value")
        if not text.strip():
            raise Refused("text: This field is required")
        if len(text) > LONGEST:
            raise Refused(f"text: Maximum length is {LONGEST}")
        text = " ".join(text.split())
        if author.is_bot:
            if LINK.search(text):
                return None
        else:
            own = [line.text.lower() for line in self.rooms[room] if line.user == author.name]
            if text.lower() in own[-REMEMBERED:]:
                return None
        line = Line(author.name, text)
        self.rooms[room].append(line)
        return line

    def lines_to(self, author: Account, room: str) -> int:
        """How many lines of a room are other people's."""
        return sum(line.user not in (author.name, SERVER) for line in self.rooms.get(room, ()))

    def tell(self, text: str) -> Line:
        """Line of the server's own, for the players."""
        line = Line(SERVER, text)
        self.rooms["player"].append(line)
        return line
