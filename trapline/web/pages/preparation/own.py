"""The repertoire that a visitor has given: stored in the library, one for a player, and read anew where it changed."""

from hashlib import blake2b
from typing import BinaryIO

from coach.practice.session import find_player
from coach.preparation.lines import Lines, lines_of, text_of
from db.games.accounts import SiteAccount
from db.games.trap_occurrences import Games, games_of_player
from db.storage.practice_rows import Repertoire, repertoire_of
from db.traps.terms import side_named
from trapcore.errors import InputError
from trapcore.io.decompress import ReadLimits
from trapcore.io.streams import ByteReader
from trapline.web.jobs import UPLOAD_WINDOW
from trapline.web.profile import Profile
from trapline.web.service import Service

MOST_BYTES = 1 << 20
"""Longest PGN of a repertoire. A study of 64 chapters has a fifth of that."""

MOST_NAMES = 200
"""Names that a field proposes, those of most games."""

SECONDS = 60.0
"""Longest time for the check of a repertoire, or for an answer."""

Whose = str | SiteAccount
"""An account, or a name as in the games; empty for somebody without games."""


def whose_repertoire(service: Service, profile: Profile, player: str) -> Whose:
    """The player who is meant: the signed-in visitor, else who has this name or a part of it. Raises `UsageError`."""
    if profile.account is not None:
        return profile.account
    return find_player(service.library, player) if player else ""


def own_games(service: Service, whose: Whose) -> Games:
    """The player's games; none for somebody without games. Raises `LibraryError`."""
    return games_of_player(service.library, whose) if whose else Games({}, frozenset())


def stored_repertoire(service: Service, whose: Whose) -> Repertoire | None:
    """The repertoire that a player has given; None if there is none. Raises `LibraryError`."""
    with service.library.database.read() as connection:
        return repertoire_of(connection, str(whose))


def read_repertoire(service: Service, repertoire: Repertoire, games: Games) -> list[Lines]:
    """Its lines, for either colour or both, read once for each text. Raises `InputError`."""
    name = repertoire.source or "PGN"
    names = sorted(games.names)
    text = blake2b("\n".join([repertoire.pgn, repertoire.colour, *names]).encode(), digest_size=12).hexdigest()
    return service.page_cache.get(
        text,
        ("repertoire", name, repertoire.colour),
        lambda: lines_of(repertoire.pgn.encode(), name, colour=side_named(repertoire.colour), player=names),
    )


def uploaded_text(upload: BinaryIO) -> str:
    """The text of an upload, unpacked. Raises `InputError` if it is too long, or no text."""
    upload.seek(0)
    data = b""
    limits = ReadLimits(MOST_BYTES, UPLOAD_WINDOW)
    with upload, ByteReader(upload, upload.read, "the upload", owned=False, limits=limits) as reader:
        for chunk in reader:
            data += chunk
            if len(data) > MOST_BYTES:
                raise InputError(
                    "a repertoire may have {most} MiB here; give its openings apart", most=MOST_BYTES >> 20
                )
    return text_of(data, "PGN")
