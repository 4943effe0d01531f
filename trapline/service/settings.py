"""The table ``[service]`` of the settings: what the service fetches and how often. `trapline.settings` reads it."""

import re
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, SecretStr, field_validator

from annotator.settings import AnalysisSettings
from trapcore.settings import Section, data_folder

CHANNELS = ("best", "ultraBullet", "bullet", "blitz", "rapid", "classical", "chess960", "bot", "computer")
"""Channels of lichess TV with the games that trapline knows, as lichess spells them."""


Hours = Annotated[float, Field(ge=0, le=8760, allow_inf_nan=False)]
"""Hours between two runs of a job."""


class ServiceSettings(Section):
    """Every setting of the service with its default."""

    url: str = Field(default="https://lichess.org", description="The server to fetch games from.")
    token_variable: ClassVar[str] = "TRAPLINE_SERVICE_TOKEN"
    token: SecretStr | None = Field(
        default=None,
        description="A token with the scope study:read, for private studies and broadcasts; nothing else needs one. It "
        "is taken from this variable or from token_file, never from a configuration file.",
    )
    token_file: Path | None = Field(
        default=None,
        description="A file that holds the token and nothing else.",
        examples=["~/.config/trapline/service-token"],
    )
    folder: Path = Field(
        default_factory=lambda: data_folder() / "service",
        description="Where what was fetched is kept as PGN. By default beside the library.",
        examples=["~/.local/share/trapline/service"],
    )
    users: tuple[str, ...] = Field(default=(), description="Names of accounts whose finished games are fetched.")
    history_days: int = Field(
        default=30,
        ge=0,
        le=36_500,
        description="Of an account that is new in the list, the games of so many days are fetched, 0 to 36500.",
    )
    chesscom_url: str = Field(
        default="https://api.chess.com", description="The server to fetch games of chess.com from."
    )
    chesscom_users: tuple[str, ...] = Field(
        default=(), description="Names of players at chess.com whose finished games are fetched."
    )
    studies: tuple[str, ...] = Field(
        default=(), description="Studies: the eight letters at the end of lichess.org/study/…"
    )
    studies_of: tuple[str, ...] = Field(default=(), description="Names of accounts all of whose studies are fetched.")
    tournaments: tuple[str, ...] = Field(
        default=(), description="Arena tournaments, the letters at the end of the address; fetched when they are over."
    )
    swiss: tuple[str, ...] = Field(default=(), description="Swiss tournaments, likewise.")
    tv: tuple[str, ...] = Field(
        default=(),
        description=f"Channels of lichess TV, of {', '.join(CHANNELS)}: the games that are on at each look, fetched "
        "when they are over.",
    )
    broadcasts: tuple[str, ...] = Field(
        default=(),
        description="Broadcasts, the eight letters at the end of the address: running rounds are followed, finished "
        "ones fetched.",
    )
    folders: tuple[Path, ...] = Field(
        default=(), description="Folders that are watched for new and changed PGN files, packed or not."
    )
    dumps: tuple[str, ...] = Field(
        default=(),
        description="Large PGN files: paths, addresses, or months of the lichess database such as 2013-01; fetched and "
        "read bit by bit, in any number of runs.",
        examples=[["2013-01"]],
    )
    database_url: str = Field(default="https://database.lichess.org", description="The server of the lichess database.")
    poll_minutes: float = Field(
        default=15.0,
        ge=1.0,
        le=10_080,
        allow_inf_nan=False,
        description="Minutes between two looks at users, studies, tournaments, TV, broadcasts and folders, 1 to 10080.",
    )
    mine_hours: Hours = Field(default=24.0, description="Hours between two searches for traps; 0: never.")
    verify_hours: Hours = Field(
        default=168.0,
        description="Hours between two proofs of all traps of the library; 0: never.",
    )
    annotate_hours: Hours = Field(
        default=0.0,
        description="Hours between two looks for fetched games whose annotated copy is missing or older than the "
        "traps; 0: never.",
    )
    backup_hours: Hours = Field(default=24.0, description="Hours between two backups; 0: never.")
    backups: int = Field(default=7, ge=1, le=1000, description="Backups that are kept, 1 to 1000.")
    backup_folder: Path | None = Field(
        default=None,
        description="Where backups are kept. By default the folder `backups` in the service's folder; another disk is "
        "better.",
        examples=["/mnt/other/trapline"],
    )
    vacuum_hours: Hours = Field(
        default=720.0,
        description="Hours between two tidyings, which join the fetched games of each month and rewrite the database "
        "file; 0: never.",
    )
    health_port: int = Field(
        default=0,
        ge=0,
        le=65535,
        description="Port on the loopback interface that tells how the service is (/health, /metrics); 0 for none.",
    )
    alert_url: str = Field(
        default="",
        description="Address that gets a JSON object by POST when a job fails, and when it is well again; empty for "
        "none.",
        examples=["https://example.org/hooks/trapline"],
    )
    digest_message: str = Field(
        default="",
        description="Account at lichess that gets a message with the traps in the new games of `users`, once a day; "
        "needs a token with the scope msg:write. Empty for none.",
        examples=["yourname"],
    )
    digest_mail: str = Field(
        default="", description="Mail address that gets the same; empty for none.", examples=["me@example.org"]
    )
    digest_webhook: str = Field(
        default="",
        description="Address that gets the same by POST, a JSON object with `text` and `content`; empty for none.",
        examples=["https://example.org/hooks/digest"],
    )
    mail_server: str = Field(
        default="",
        description="Server for mail with the account's name: smtp:// (STARTTLS) or smtps:// (TLS from the start).",
        examples=["smtp://me@mail.example.org:587"],
    )
    mail_from: str = Field(
        default="", description="Sender of mail; empty for digest_mail itself.", examples=["trapline@example.org"]
    )
    mail_password_file: Path | None = Field(
        default=None,
        description="A file of mode 600 that holds the password for mail and nothing else.",
        examples=["~/.config/trapline/mail-password"],
    )
    log_file: Path | None = Field(
        default=None,
        description="Log file, a new one each midnight, seven are kept; standard error without one.",
        examples=["~/.local/state/trapline/service.log"],
    )
    log_json: bool = Field(default=False, description="Each line of the log is a JSON object.")

    @field_validator("mail_server")
    @classmethod
    def _is_mail_server(cls, address: str) -> str:
        if address and not re.fullmatch(r"smtps?://([^\s/:@]+@)?[^\s/:@]+(:\d{1,5})?/?", address):
            raise ValueError("it must be like smtp://me@mail.example.org:587, without a password")
        return address

    @field_validator("digest_mail", "mail_from")
    @classmethod
    def _is_mail(cls, address: str) -> str:
        if address and not re.fullmatch(r"[^\s@<>,]+@[^\s@<>,]+", address):
            raise ValueError("it must be one mail address")
        return address

    @field_validator("digest_message")
    @classmethod
    def _is_name(cls, name: str) -> str:
        return _all_like(r"[\w-]{2,30}", (name,), "names have 2 to 30 letters, digits, _ and -")[0] if name else name

    @property
    def has_digest(self) -> bool:
        """Whether a digest goes anywhere."""
        return bool(self.digest_message or self.digest_mail or self.digest_webhook)

    @field_validator("alert_url", "digest_webhook")
    @classmethod
    def _is_address(cls, address: str) -> str:
        if address and not re.fullmatch(r"https?://[^\s/]+\S*", address):
            raise ValueError("it must be an address that begins with https:// or http://")
        return address

    @field_validator("users", "studies_of", "chesscom_users")
    @classmethod
    def _are_names(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return _all_like(r"[\w-]{2,30}", names, "names of accounts have 2 to 30 letters, digits, _ and -")

    @field_validator("studies", "broadcasts", "tournaments", "swiss")
    @classmethod
    def _are_ids(cls, ids: tuple[str, ...]) -> tuple[str, ...]:
        return _all_like(r"[A-Za-z0-9]{8}", ids, "ids have 8 letters and digits, the end of the address")

    @field_validator("tv")
    @classmethod
    def _are_channels(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in CHANNELS:
                raise ValueError(f"{name!r} is no channel; these are: {', '.join(CHANNELS)}")
        return tuple(dict.fromkeys(names))


def _all_like(pattern: str, given: tuple[str, ...], wanted: str) -> tuple[str, ...]:
    for one in given:
        if not re.fullmatch(pattern, one, re.ASCII):
            raise ValueError(f"{wanted}; {one!r} is not like that")
    return tuple(dict.fromkeys(given))


class ServiceOptions(AnalysisSettings):
    """Settings that `service` takes: those of the analysis, and its own section."""

    service: ServiceSettings = Field(default_factory=ServiceSettings, description="What the service fetches and does.")
