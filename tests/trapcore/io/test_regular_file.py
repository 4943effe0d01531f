"""Files that settings name: a pipe, a device or a folder is refused at once, whoever asks for it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.challenges.block_lists import read_list
from bot.settings import BotSettings
from lichess.token import read_token
from trapcore.errors import InputError
from trapcore.io.regular_file import open_regular
from trapcore.io.token_file import token_of
from trapline.web.token import session_key

READERS: dict[str, Callable[[Path], object]] = {
    "token": lambda path: token_of(None, path, variable="X", wanted="a word"),
    "bot": lambda path: read_token(BotSettings(token_file=path)),
    "session key": session_key,
    "block list": lambda path: read_list(str(path)),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to a pipe"])
def test_what_is_no_regular_file_is_refused(tmp_path: Path, reader: str, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
        path = path if "link" in kind else tmp_path / "pipe"
    with pytest.raises(InputError, match="cannot be read: it is no regular file"):
        READERS[reader](path)


def test_a_regular_file_is_read_and_a_missing_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"abc\n")
    (tmp_path / "token").chmod(0o600)
    with open_regular(tmp_path / "token") as file:
        assert file.read() == b"abc\n"
    assert token_of(None, tmp_path / "token", variable="X", wanted="a word") == SecretStr("abc")
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "none")
