"""Ways to send a text: a message at lichess, a mail, a request to an address. No error shows a secret."""

import smtplib
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import EmailMessage
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

import requests
from pydantic import SecretStr

from lichess.api import LichessError, Limited, Refused, Unreachable
from lichess.http import user_agent
from trapcore.errors import TraplineError, UsageError
from trapcore.io.token_file import token_of
from trapline.service.service import Service
from trapline.service.settings import ServiceSettings
from trapline.service.state.clock import StopFlag

TIMEOUT_SECONDS = 30.0
LONGEST_MESSAGE = 8000
"""Characters of a message at lichess, at most."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Undelivered(TraplineError):
    """A text that certainly did not arrive."""


def senders(service: Service, stop_flag: StopFlag) -> dict[str, Callable[[str], None]]:
    """The ways that the settings name: ``message``, ``mail`` and ``webhook``.

    Each sends a text. It raises `Undelivered`, and `LichessError` if it is unknown whether the text arrived.
    """
    mine = service.mine
    ways = {
        "message": (mine.digest_message, partial(_message, service, stop_flag)),
        "mail": (mine.digest_mail, partial(_mail, mine)),
        "webhook": (mine.digest_webhook, partial(_webhook, mine.digest_webhook)),
    }
    return {name: send for name, (is_set, send) in ways.items() if is_set}


def post_json(address: str, content: Mapping[str, Any]) -> None:
    """Send a JSON object to an address. Raises `requests.RequestException`."""
    headers = {"User-Agent": user_agent("")}
    answer = requests.post(address, json=content, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False)
    answer.raise_for_status()


def _message(service: Service, stop_flag: StopFlag, text: str) -> None:
    if len(text) > LONGEST_MESSAGE:
        text = text[: LONGEST_MESSAGE - 2].rpartition("\n\n")[0] + "\n…"
    try:
        service.lichess_games.message(service.mine.digest_message, text, stop_flag)
    except (Refused, Limited) as error:
        raise Undelivered(str(error)) from None
    except Unreachable as error:
        if error.arrived:
            raise
        raise Undelivered(str(error)) from None


def _webhook(address: str, text: str) -> None:
    try:
        # Chat services take one or the other name.
        post_json(address, {"text": text, "content": text})
    except requests.HTTPError as error:
        status = "nothing" if error.response is None else error.response.status_code
        raise Undelivered(f"the address answered {status}") from None
    except requests.ConnectTimeout:
        raise Undelivered("the address does not answer") from None
    except requests.RequestException as error:
        # The address may contain a secret, and the message of the error the address.
        raise LichessError(f"no answer ({type(error).__name__})") from None


def _mail(mine: ServiceSettings, text: str) -> None:
    subject, _, _ = text.partition("\n")
    mail = EmailMessage()
    mail["Subject"], mail["To"] = subject, mine.digest_mail
    mail["From"] = mine.mail_from or mine.digest_mail
    mail.set_content(text)
    with mail_server(mine) as server:
        try:
            server.send_message(mail)
        except smtplib.SMTPException as error:
            raise Undelivered(f"the mail was refused: {type(error).__name__}") from None
        except OSError as error:
            raise LichessError(f"the mail server has gone ({type(error).__name__})") from None


@contextmanager
def mail_server(mine: ServiceSettings) -> Iterator[smtplib.SMTP]:
    """The mail server of the settings, with the account signed in. Raises `Undelivered`, `InputError`, `UsageError`."""
    where = urlsplit(mine.mail_server)
    if not where.hostname:
        raise UsageError("service.mail_server is needed for mail, such as smtp://me@mail.example.org:587")
    password = _password(mine)
    context = ssl.create_default_context()
    try:
        if where.scheme == "smtps":
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                where.hostname, where.port or 465, timeout=TIMEOUT_SECONDS, context=context
            )
        else:
            server = smtplib.SMTP(where.hostname, where.port or 587, timeout=TIMEOUT_SECONDS)
    except (OSError, smtplib.SMTPException) as error:
        raise Undelivered(f"the mail server {where.hostname} cannot be reached: {type(error).__name__}") from None
    with server:
        try:
            server.ehlo()
            if where.scheme == "smtp" and (server.has_extn("starttls") or where.hostname not in LOOPBACK):
                server.starttls(context=context)
                server.ehlo()
            elif where.scheme == "smtp" and password is not None:
                raise Undelivered(f"the mail server {where.hostname} has no STARTTLS, so it gets no password")
            if password is not None and where.username:
                server.login(unquote(where.username), password.get_secret_value())
        except smtplib.SMTPAuthenticationError:
            raise Undelivered(f"the mail server {where.hostname} refuses the name or the password") from None
        except (OSError, smtplib.SMTPException) as error:
            raise Undelivered(f"the mail server {where.hostname} failed: {type(error).__name__}: {error}") from None
        yield server


def _password(mine: ServiceSettings) -> SecretStr | None:
    path = mine.mail_password_file
    if path is not None and path.exists() and path.stat().st_mode & 0o077:
        raise UsageError(f"others can read {path}; chmod 600 {path}")
    return token_of(None, path, variable="service.mail_password_file", wanted="a password without spaces")
