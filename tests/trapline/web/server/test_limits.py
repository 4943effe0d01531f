"""How often and from where may be asked: buckets by themselves, then a real server."""

from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from starlette.datastructures import Headers

from tests.support.web_server import make_library, served
from trapcore.errors import UsageError
from trapline.settings import Settings
from trapline.web.server.limits import TokenBuckets, client_address, rate_limit_key


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits") / "library.sqlite"
    make_library(path)
    return path


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    buckets = TokenBuckets(rate=2.0, burst=3)
    assert [buckets.take("a", 10.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert buckets.take("a", 10.0) == pytest.approx(0.5)
    assert buckets.take("b", 10.0) == 0.0, "another address has its own"
    assert buckets.take("a", 10.5) == 0.0
    assert buckets.take("a", 10.5) == pytest.approx(0.5)
    assert [buckets.take("a", 1000.0) for _ in range(4)][3] > 0, "no more than the burst is saved up"


@pytest.mark.parametrize(
    ("peer", "forwarded", "who"),
    [
        ("198.51.100.7", ["203.0.113.9"], "198.51.100.7"),  # anybody can write the header
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["1.2.3.4, 203.0.113.9"], "203.0.113.9"),  # what comes first the client has written itself
        ("127.0.0.1", ["1.2.3.4, 203.0.113.9, 10.0.0.5"], "203.0.113.9"),  # two proxies
        ("127.0.0.1", ["1.2.3.4", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["nonsense"], "nonsense"),
    ],
)
def test_only_trusted_proxies_are_believed(peer: str, forwarded: list[str], who: str) -> None:
    headers = Headers(raw=[(b"x-forwarded-for", value.encode()) for value in forwarded])
    assert client_address(peer, headers, [ip_network("127.0.0.1"), ip_network("10.0.0.0/8")]) == who


def test_what_one_client_can_have_shares_a_bucket() -> None:
    assert (
        rate_limit_key("2001:db8:1:2:3::1")
        == rate_limit_key("2001:db8:1:2:ffff::9")
        != rate_limit_key("2001:db8:1:3::1")
    )
    assert rate_limit_key("::ffff:203.0.113.9") == rate_limit_key("203.0.113.9") == "203.0.113.9"
    assert len(rate_limit_key("x" * 1000)) < 100


def test_who_asks_too_often_is_told_when_to_come_again(library: Path, tmp_path: Path) -> None:
    variables = {"web_rate": 0.5, "web_burst": 5, "web_proxies": '["127.0.0.1"]'}
    with served(library, tmp_path, **variables) as server, server.client() as client:
        mine = {"X-Forwarded-For": "203.0.113.9"}
        answers = [client.get("/api/v1/families", headers=mine) for _ in range(6)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429]
        assert answers[5].headers["content-type"] == "application/problem+json"
        assert answers[5].headers["x-content-type-options"] == "nosniff"
        assert 1 <= int(answers[5].headers["retry-after"]) <= 2
        assert "at most 0.5 requests a second" in answers[5].json()["detail"]
        other = {"X-Forwarded-For": "203.0.113.10"}
        assert client.get("/api/v1/families", headers=other).status_code == 200


def test_pages_of_other_sites_are_let_in_by_name_only(library: Path, tmp_path: Path) -> None:
    friend, stranger = {"Origin": "https://chess.example"}, {"Origin": "https://evil.example"}
    with (
        served(library, tmp_path, web_origins='["https://chess.example"]') as server,
        server.client() as client,
    ):
        allowed = "access-control-allow-origin"
        assert client.get("/api/v1/families", headers=friend).headers[allowed] == friend["Origin"]
        assert allowed not in client.get("/api/v1/families", headers=stranger).headers
        preflight = {"Access-Control-Request-Method": "POST"}
        assert client.options("/api/v1/annotate", headers=friend | preflight).status_code == 200
        assert allowed not in client.options("/api/v1/annotate", headers=stranger | preflight).headers

        def upload(headers: dict[str, str]) -> httpx.Response:
            return client.post(
                "/api/v1/annotate", content=b"1. e4 *\n", headers=headers | {"Content-Type": "text/plain"}
            )

        assert upload(stranger).status_code == 403
        assert upload(friend).status_code == 200
        assert upload({"Origin": server.url.rstrip("/")}).status_code == 200, "its own pages"
        assert upload({}).status_code == 200, "no browser"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"host": "example.org"}, "it must be an address like 127.0.0.1"),
        ({"origins": ["chess.example"]}, "must be like https://chess.example"),
        ({"origins": ["*"]}, "must be like https://chess.example"),
        ({"proxies": ["my-proxy"]}, "does not appear to be an IPv4 or IPv6 network"),
        ({"port": 70000}, "less than or equal to 65535"),
        ({"prot": 1}, "did you mean 'web.port'?"),
    ],
)
def test_settings_that_cannot_be(setting: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match="web") as caught:
        Settings(web=setting)
    assert told in str(caught.value)


def test_only_loopback_needs_no_word() -> None:
    for host, mine in (
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
    ):
        assert Settings(web={"host": host}).web.is_loopback is mine
