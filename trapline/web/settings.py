"""The table ``[web]`` of the settings: the choices of a server's owner. `trapline.settings` reads it."""

import re
from ipaddress import ip_address, ip_network
from pathlib import Path

from pydantic import Field, SecretStr, field_validator

from annotator.settings import AnalysisSettings
from trapcore.settings import Section


class WebSettings(Section):
    """Every setting of the server with its default."""

    host: str = Field(
        default="127.0.0.1",
        description="Address to listen on. One that other machines can reach needs web.public as well.",
    )
    port: int = Field(default=8321, ge=0, le=65535, description="Port to listen on, 1 to 65535; 0 takes a free one.")
    health_port: int = Field(
        default=0,
        ge=0,
        le=65535,
        description="Port on the loopback interface at which a thread of its own answers /health, whatever is asked at "
        "the other; 0 for none.",
    )
    public: bool = Field(
        default=False, description="Says that web.host may be an address that other machines can reach."
    )
    address: str = Field(
        default="",
        description="Address under which browsers reach a public server, without a path. With it visitors can sign in "
        "with lichess, and have reports and practice of their own; without it a public server has neither.",
        examples=["https://traps.example"],
    )
    lichess: str = Field(default="https://lichess.org", description="The server that visitors sign in with.")
    token: SecretStr | None = Field(
        default=None,
        description="The token that allows to add and remove traps. It is taken from this variable or from token_file, "
        "never from a configuration file; without one the library is served for reading only.",
    )
    token_file: Path | None = Field(
        default=None,
        description="A file that holds the token and nothing else.",
        examples=["~/.config/trapline/web-token"],
    )
    folder: Path | None = Field(
        default=None,
        description="Folder for the files of uploads while they are needed. They have no name there and go with the "
        "program, however it ends; those of a report go, where it was killed, when it starts again. By default the "
        "system's folder for temporary files.",
        examples=["/var/tmp"],
    )
    threads: int = Field(default=4, ge=1, le=64, description="Questions that are worked on at the same time, 1 to 64.")
    seconds: float = Field(
        default=10.0,
        gt=0,
        le=600,
        allow_inf_nan=False,
        description="Longest time for one question in seconds, waiting included; after that it is ended.",
    )
    rate: float = Field(
        default=20.0,
        ge=0,
        le=100_000,
        allow_inf_nan=False,
        description="Requests per second that one address may make in the long run; 0 for no limit.",
    )
    burst: int = Field(default=100, ge=1, le=100_000, description="Requests that it may make at once before that.")
    upload_megabytes: int = Field(default=64, ge=1, le=4096, description="Largest upload of games, in MiB.")
    unpacked_megabytes: int = Field(
        default=256,
        ge=1,
        le=65536,
        description="To so much a packed upload may unpack, in MiB; the results that are kept for one address may have "
        "twice as much, all of them eight times.",
    )
    annotations: int = Field(
        default=2,
        ge=1,
        le=64,
        description="Uploads that are annotated at the same time, 1 to 64; others are refused. One address may have "
        "half of these places, and one at least.",
    )
    annotation_minutes: float = Field(
        default=30.0,
        gt=0,
        le=1440,
        allow_inf_nan=False,
        description="Longest annotation of one upload in minutes, and how long its result is kept afterwards.",
    )
    hosts: tuple[str, ...] = Field(
        default=(),
        description="Names by which the server may be asked, beside those of this machine and web.host; of a public "
        "server also any address.",
        examples=[["traps.example"]],
    )
    origins: tuple[str, ...] = Field(
        default=(),
        description="Web sites whose pages may use the interface from a browser; none by default.",
        examples=[["https://chess.example"]],
    )
    proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses or networks of proxies in front, whose X-Forwarded-For is believed.",
        examples=[["127.0.0.1"]],
    )

    @field_validator("host")
    @classmethod
    def _is_address(cls, host: str) -> str:
        if host != "localhost":
            try:
                ip_address(host)
            except ValueError as error:
                raise ValueError("it must be an address like 127.0.0.1 or ::1, or localhost") from error
        return host

    @field_validator("address", "lichess")
    @classmethod
    def _is_origin(cls, address: str) -> str:
        return _origin(address.rstrip("/")) if address else ""

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_origin, origins))

    @field_validator("hosts")
    @classmethod
    def _are_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        for host in hosts:
            if not re.fullmatch(r"[A-Za-z0-9._-]+", host):
                raise ValueError(f"{host!r} must be a name like traps.example, without a port")
        return tuple(host.lower() for host in hosts)

    @field_validator("proxies")
    @classmethod
    def _are_networks(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            ip_network(proxy)
        return proxies

    @property
    def is_private(self) -> bool:
        """Whether only the machine's own users reach the server."""
        return self.is_loopback and not self.public

    @property
    def can_sign_in(self) -> bool:
        """Whether somebody can sign in: at a public server that knows its own address."""
        return not self.is_private and bool(self.address)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        return self.host == "localhost" or ip_address(self.host).is_loopback


def _origin(address: str) -> str:
    if not re.fullmatch(r"https?://[^/\s@*]+", address):
        raise ValueError(f"{address!r} must be like https://chess.example, without a path")
    return address


class WebOptions(AnalysisSettings):
    """Settings that `web` takes: those of the analysis, and its own section."""

    web: WebSettings = Field(default_factory=WebSettings, description="How the library is served over HTTP.")
