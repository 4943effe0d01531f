"""Answers in JSON that a client may keep: tagged by the state of the library and the question."""

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from urllib.parse import urlencode

from fastapi import Request, Response

from trapcore.parallel.budget import Cancellation
from web.service import Service

CHECKED = {"Cache-Control": "no-cache"}
"""An answer may be kept, but has to be asked for again with its tag."""

Content = Mapping[str, object]


async def answer(request: Request, service: Service, ask: Callable[[Cancellation], Content]) -> Response:
    """What ``ask`` finds as JSON, or 304 if the client has it already; ``next`` in it is the cursor of the next page.

    Raises as `Service.work` does.
    """
    # The state before the question: if the library changes meanwhile, the tag is the older one and counts no more.
    tag = tag_of(request, service)
    headers = dict(CHECKED)
    if tag is not None:
        headers["ETag"] = tag
        if has_already(request, tag):
            return Response(status_code=304, headers=headers)

    def work(stop: Cancellation) -> tuple[bytes, str | None]:
        content = ask(stop)
        following = content.get("next")
        return encoded(content), None if following is None else str(following)

    body, cursor = await service.work(request, work)
    if cursor is not None:
        headers["Link"] = next_link(request, cursor)
    return Response(body, 200, headers, "application/json")


def encoded(content: Content) -> bytes:
    """JSON in UTF-8; NaN is a bug."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def tag_of(request: Request, service: Service) -> str | None:
    """The weak entity tag of what is asked; None where the state of the library cannot be told."""
    state = service.state()
    if state is None:
        return None
    asked = f"{state}\n{request.url.path}\n{request.url.query}"
    return f'W/"{blake2b(asked.encode(), digest_size=12).hexdigest()}"'


def has_already(request: Request, tag: str) -> bool:
    """Whether the request names this tag, or any, in If-None-Match."""
    given = {part.strip() for line in request.headers.getlist("if-none-match") for part in line.split(",")}
    return "*" in given or tag in given or tag.removeprefix("W/") in given


def next_link(request: Request, cursor: str) -> str:
    """The header ``Link`` for the same question, going on from a cursor."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "after"]
    return f'<{request.url.path}?{urlencode([*kept, ("after", cursor)])}>; rel="next"'
