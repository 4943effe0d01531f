"""Losing moves over HTTP: what a query finds, to whom it is shown, and what cannot be asked."""

from pathlib import Path

from db.library.open import open_library
from tests.support.mistakes import game, mistake, store
from tests.support.web_server import served


def test_mistakes_are_found_as_by_the_command(tmp_path: Path) -> None:
    library = tmp_path / "library.sqlite"
    with open_library(library, create=True) as opened:
        store(opened, tmp_path / "g.pgn", [game("legal", "Ann", "Bob"), game("noah", "Cec", "Dan")])
    with served(library, tmp_path) as server, server.client() as client:
        (hit,) = client.get("/api/v1/mistakes", params={"place": mistake("legal").place}).json()["mistakes"]
        assert (hit["white"], hit["played"], hit["ply"], hit["similarity"]) == ("Ann", "Bxd1", 10, None)
        assert hit["killer_line"] == ["Bxf7+", "Ke7", "Nd5#"]
        (like, *_) = client.get("/api/v1/mistakes", params={"like": "2#15"}).json()["mistakes"]
        assert (like["white"], like["similarity"]) == ("Cec", 1)
        wrong = client.get("/api/v1/mistakes", params={"cause": "thret"})
        assert (wrong.status_code, "did you mean 'threat'?" in wrong.json()["detail"]) == (400, True)
        assert client.get("/api/v1/mistakes", params={"liek": "2#15"}).status_code == 400
