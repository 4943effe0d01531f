"""Whose a game is: an account is a site and an id there."""

from itertools import product
from pathlib import Path

from sqlalchemy import select, update

from db.games.accounts import SiteAccount, is_account
from db.library.open import open_library
from db.storage.tables import GameRow
from tests.support.practice_library import copy_practice_library

SITE = "https://lichess.example"
NAMES = ("Hikaru99", "hiKaru99", "\u212aaru99", "karu99", "K\u0131m", "kim", "H\u0130karu99", "?", "")
ACCOUNTS = ("hikaru99", "Karu99", "kim", "")
SITES = ("abcdefgh", "abcdefghijkl", "abcdefghijklm", "a/cdefgh", "abc%efgh", "", "abc")


def test_database_and_program_agree_whose_game_it_is(tmp_path: Path) -> None:
    library = copy_practice_library(tmp_path / "library.sqlite")
    with open_library(library) as opened:
        for name, account, game in product(NAMES, ACCOUNTS, SITES):
            who, site = SiteAccount(SITE, account), f"{SITE}/{game}"
            with opened.database.write() as connection:
                connection.execute(update(GameRow).where(GameRow.id == 1).values(white=name, black="Bob", site=site))
            with opened.database.read() as connection:
                found = list(connection.scalars(select(GameRow.id).where(who.games())))
            is_game = 8 <= len(game) <= 12 and "/" not in game
            expected = bool(account) and name.isascii() and name.lower() == account.lower() and is_game
            assert (who.played(site, name, "Bob"), found) == (expected, [1] if expected else []), (name, account, game)


def test_an_account_is_told_from_a_name() -> None:
    assert str(SiteAccount(SITE, "Hikaru99")) == f"{SITE}/@/hikaru99"
    assert is_account(f"{SITE}/@/hikaru99")
    assert not is_account("Hikaru99")
