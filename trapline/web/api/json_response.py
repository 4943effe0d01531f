"""JSON responses with entity tags, made of the state of the library and the request."""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from urllib.parse import urlencode

from fastapi import Request, Response

from trapcore.io.plain_text import harmless
from trapcore.parallel.budget import Cancellation
from trapline.web.profile import shown_games
from trapline.web.service import Service

REVALIDATE = {"Cache-Control": "private, no-cache"}
"""Header with which a client may store a response, but has to revalidate it by its tag.

A cache for several clients may not store it, because some answers depend on who has signed in."""

Content = Mapping[str, object]


async def json_response(
    request: Request, service: Service, compute: Callable[[Cancellation], Content], *, search: bool = False
) -> Response:
    """JSON of what ``compute`` returns, or 304 if the client has it; ``next`` in it is the cursor of the next page.

    With ``search`` it is computed by `Service.search`. Raises as `Service.run` does.
    """
    # Read before the computation: if the library changes meanwhile, the tag is that of the older state, and stale.
    tag = entity_tag(request, service)
    headers = dict(REVALIDATE)
    if tag is not None:
        headers["ETag"] = tag
        if matches_entity_tag(request, tag):
            return Response(status_code=304, headers=headers)

    def work(stop: Cancellation) -> tuple[bytes, str | None]:
        content = compute(stop)
        next_cursor = content.get("next")
        return encode_json(content), None if next_cursor is None else str(next_cursor)

    body, cursor = await (service.search if search else service.run)(request, work)
    if cursor is not None:
        headers["Link"] = next_page_link(request, cursor)
    return Response(body, 200, headers, "application/json")


def encode_json(content: Content) -> bytes:
    """Compact JSON in UTF-8 that no terminal obeys. Raises `ValueError` for NaN."""
    return harmless(json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))).encode()


def entity_tag(request: Request, service: Service) -> str | None:
    """Weak entity tag of a request; None where the state of the library is unknown."""
    state = service.state()
    if state is None:
        return None
    identity = f"{state}\n{request.url.path}\n{request.url.query}\n{shown_games(request)}"
    return f'W/"{blake2b(identity.encode(), digest_size=12).hexdigest()}"'


def matches_entity_tag(request: Request, tag: str) -> bool:
    """Whether the request has this tag, or ``*``, in If-None-Match."""
    tags = {part.strip() for line in request.headers.getlist("if-none-match") for part in line.split(",")}
    return "*" in tags or tag in tags or tag.removeprefix("W/") in tags


def next_page_link(request: Request, cursor: str) -> str:
    """Value of the header ``Link`` for the next page of a request, which begins at a cursor."""
    others = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    return f'<{request.url.path}?{urlencode([*others, ("after", cursor)])}>; rel="next"'
