"""The interface is what /openapi.json says: every operation is tried with made-up questions, good ones and bad ones."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from openapi_spec_validator import validate
from schemathesis import GenerationMode

from tests.support.web_server import GAMES, LEGAL, TOKEN, make_library, served

EXAMPLES = 12
"""Questions for each operation."""

CHECKS = [
    schemathesis.checks.not_a_server_error,
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
    schemathesis.checks.response_headers_conformance,
    schemathesis.checks.negative_data_rejection,
]


@schemathesis.serializer("application/x-chess-pgn")
def _as_pgn(context: schemathesis.SerializationContext, value: Any) -> Any:
    return value if isinstance(value, bytes) else str(value).encode()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    path = tmp_path_factory.mktemp("described") / "library.sqlite"
    make_library(path)
    with (
        served(path, path.parent, nodes=2000, web_token=TOKEN, web_upload_megabytes=1, web_annotations=64) as server,
        server.client() as found,
    ):
        yield found


@pytest.fixture
def described(client: httpx.Client) -> Any:
    return schemathesis.openapi.from_url(f"{str(client.base_url).rstrip('/')}/openapi.json")


def test_the_description_is_openapi_and_complete(client: httpx.Client) -> None:
    told = client.get("/openapi.json").json()
    validate(told)
    assert set(told["paths"]) >= {
        "/api/v1/traps", "/api/v1/traps/{slug}", "/api/v1/traps/{slug}/sightings",
        "/api/v1/explore", "/api/v1/families", "/api/v1/propose", "/api/v1/annotate", "/api/v1/annotations",
        "/api/v1/annotations/{id}", "/api/v1/annotations/{id}/result",
        "/health", "/metrics",
    }  # fmt: skip
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], (method, path)
            assert "application/problem+json" in operation["responses"]["default"]["content"], (method, path)


@pytest.mark.slow
def test_made_up_questions_get_the_answers_that_are_described(described: Any) -> None:
    tried = 0
    for found in described.get_all_operations():
        operation = found.ok()
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            tried += _try(operation, mode)
    assert tried > 14 * EXAMPLES


def _try(operation: Any, mode: GenerationMode) -> int:
    """How many questions were asked."""
    asked = 0

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: "schemathesis.Case[Any]") -> None:
        nonlocal asked
        asked += 1
        case.call_and_validate(checks=CHECKS, headers={"Authorization": f"Bearer {TOKEN}"})

    with suppress(Unsatisfiable):  # there is nothing wrong that could be asked of some
        ask()
    return asked


def test_real_questions_get_the_answers_that_are_described(described: Any, client: httpx.Client) -> None:
    place = client.post(
        "/api/v1/annotations", content=GAMES.read_bytes(), headers={"Content-Type": "application/x-chess-pgn"}
    ).headers["location"]
    seen = next(hit for hit in client.get("/api/v1/traps?limit=30").json()["hits"] if hit["events"])
    questions = [
        ("/api/v1/traps", f"/api/v1/traps?fen={LEGAL}&similar=5"),
        ("/api/v1/traps", "/api/v1/traps?moves=e4+e5+Nf3+d6+Bc4+Nc6+Nc3+Bg4+Nxe5&similar=3&measure=abstracted"),
        ("/api/v1/traps", "/api/v1/traps?name=legals&sort=match"),
        ("/api/v1/traps", "/api/v1/traps?family=legal&sort=frequency&event=avoided"),
        ("/api/v1/traps/{slug}", "/api/v1/traps/legal-mate"),
        ("/api/v1/propose", f"/api/v1/propose?fen={LEGAL}&explain=true"),
        ("/api/v1/traps/{slug}/sightings", f"/api/v1/traps/{seen['slug']}/sightings?limit=2"),
        ("/api/v1/explore", f"/api/v1/explore?fen={LEGAL}&mirrored=true"),
        ("/api/v1/explore", "/api/v1/explore?moves=e4&min_rating=1&since=1900"),
        ("/api/v1/explore", f"/api/v1/explore?fen={LEGAL}&people=true"),
        ("/api/v1/families", "/api/v1/families"),
        ("/api/v1/annotations/{id}", place),
        ("/health", "/health"),
    ]
    for path, url in questions:
        answer = client.get(url)
        assert answer.status_code == 200, (url, answer.text)
        described[path]["GET"].validate_response(answer)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=3000), st.sampled_from(["", "\x1f\x8b\x08", "(\xb5/\xfd", "BZh91AY&SY"]))
def test_odd_bytes_are_no_reason_to_fail(client: httpx.Client, data: bytes, head: str) -> None:
    kind = {"Content-Type": "application/octet-stream"}
    answer = client.post("/api/v1/annotate", content=head.encode("latin-1") + data, headers=kind)
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 200 and not head:
        assert answer.content == data
