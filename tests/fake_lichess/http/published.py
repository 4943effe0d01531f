"""Lichess's published API description, against which every answer is checked."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.support.public_data import DATA

FILE = DATA / "lichess-api" / "lichess-bundled-json.yaml"
NAME = "urn:lichess"
#: Statuses that the description leaves to its general part.
GENERAL = (401, 403, 404, 429, 500)


class Published:
    """The description; ``check`` raises AssertionError for an answer that is not as published."""

    def __init__(self, path: Path = FILE) -> None:
        self.spec: dict[str, Any] = yaml.load(
            path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        )
        resource = Resource.from_contents(self.spec, default_specification=DRAFT202012)
        self.registry: Registry[Any] = Registry().with_resource(NAME, resource)
        self.patterns: list[tuple[re.Pattern[str], str]] = [
            (re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template)) + "$"), template)
            # Fixed parts win over parameters: /api/challenge/{id}/accept is no user name.
            for template in sorted(self.spec["paths"], key=lambda template: template.count("{"))
        ]
        #: Method, template and status of everything that was checked.
        self.seen: set[tuple[str, str, int]] = set()

    def template(self, method: str, path: str) -> str:
        path = path.partition("?")[0]
        for pattern, template in self.patterns:
            if pattern.match(path) and method.lower() in self.spec["paths"][template]:
                return template
        raise AssertionError(f"{method} {path} is not published")

    def check(self, method: str, path: str, status: int, body: object) -> None:
        template = self.template(method, path)
        self.seen.add((method, template, status))
        answers = self.spec["paths"][template][method.lower()]["responses"]
        if str(status) not in answers:
            assert status in GENERAL, f"{method} {template} never answers {status}"
            pointer = "/components/schemas/Error"
        else:
            kinds = answers[str(status)].get("content")
            if kinds is None:
                assert body in ("", None), f"{method} {template} answers {status} without a body"
                return
            pgn = "application/x-chess-pgn"
            kind = pgn if pgn in kinds and isinstance(body, str) else "application/json"
            answer = f"{method.lower()}/responses/{status}/content/{_escape(kind)}/schema"
            pointer = f"/paths/{_escape(template)}/{answer}"
        errors = [
            f"{'/'.join(map(str, error.absolute_path))}: {error.message}"
            for error in self._validator(pointer).iter_errors(body)
        ]
        assert not errors, f"{method} {path} {status}: {errors} in {body}"

    @cache  # noqa: B019 - one description lives as long as the tests
    def _validator(self, pointer: str) -> Draft202012Validator:
        return Draft202012Validator({"$ref": f"{NAME}#{pointer}"}, registry=self.registry)


def _escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
