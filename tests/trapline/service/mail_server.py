"""A mail server on loopback with TLS, which keeps what it gets; for the tests of mail."""

import base64
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class _Session(socketserver.StreamRequestHandler):
    server: "MailServer"

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def finish(self) -> None:
        super().finish()
        self.request.close()

    def handle(self) -> None:
        secure = self.server.from_the_start
        self.say("220 localhost ESMTP")
        while line := self.rfile.readline().decode().strip():
            word = line.split()[0].upper()
            if word == "EHLO":
                self.say("250-localhost")
                self.say("250 AUTH PLAIN" if secure else "250 STARTTLS" if self.server.offers_tls else "250 HELP")
            elif word == "STARTTLS":
                self.say("220 go ahead")
                for file in (self.rfile, self.wfile):
                    file.close()
                self.request = self.server.context.wrap_socket(self.request, server_side=True)
                self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", buffering=0)
                secure = True
            elif word == "AUTH":
                given = base64.b64decode(line.split()[2]).decode().split("\0")
                good = secure and given[1:] == ["me", self.server.password]
                self.server.signed_in.append(good)
                self.say("235 welcome" if good else "535 no")
            elif word == "DATA":
                self.say("354 go on")
                lines: list[str] = []
                while (text := self.rfile.readline().decode()) not in (".\r\n", ""):
                    lines.append(text.removeprefix("."))  # a dot at the beginning of a line comes twice
                if self.server.refuses:
                    self.say("554 no")
                else:
                    self.server.mails.append("".join(lines).replace("\r\n", "\n"))
                    self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok")


class MailServer(socketserver.ThreadingTCPServer):
    """``from_the_start``: TLS from the first byte, as behind smtps://."""

    daemon_threads = True

    def __init__(self, certificate: Path, *, from_the_start: bool = False) -> None:
        self.from_the_start = from_the_start
        self.offers_tls = True
        self.refuses = False
        self.password = "secret-of-mail"
        self.mails: list[str] = []
        self.signed_in: list[bool] = []
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        super().__init__(("127.0.0.1", 0), _Session)
        if from_the_start:
            self.socket = self.context.wrap_socket(self.socket, server_side=True)

    @property
    def port(self) -> int:
        return int(self.server_address[1])


def made_certificate(folder: Path) -> Path:
    """A certificate of localhost with its key, signed by itself."""
    path = folder / "localhost.pem"
    made = ("-keyout", f"{path}.key", "-out", f"{path}.crt")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    kind = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")
    subprocess.run(["openssl", "req", *kind, *names, *made], check=True, capture_output=True)
    path.write_text(Path(f"{path}.key").read_text() + Path(f"{path}.crt").read_text())
    return path


@contextmanager
def running(server: MailServer) -> Iterator[MailServer]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
