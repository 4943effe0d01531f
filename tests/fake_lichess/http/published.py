"""Lichess's published API description, against which every request and every answer is checked."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import yaml
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.support.public_data import DATA

FILE = DATA / "lichess-api" / "lichess-bundled-json.yaml"
NAME = "urn:lichess"
#: Statuses that the description leaves to its general part.
GENERAL = (401, 403, 404, 429, 500)


#: Media type of a form.
FORM = "application/x-www-form-urlencoded"
#: Words of a boolean in an address or a form.
BOOLEANS = {"true": True, "false": False}


@cache
def published() -> "Published | None":
    """The description, read once in a process; None if the public data is not there."""
    return Published() if FILE.exists() else None


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

    def faults(self, method: str, path: str, content_type: str, body: bytes) -> list[str]:
        """What is wrong with a request: its method, address, parameters, content type or form.

        ``path`` has the query, ``content_type`` is empty if the header is missing.
        """
        try:
            template = self.template(method, path)
        except AssertionError as error:
            return [str(error)]
        operation = self.spec["paths"][template][method.lower()]
        found = list(self._query_faults(operation, path.partition("?")[2]))
        kinds: Mapping[str, Any] = operation.get("requestBody", {}).get("content", {})
        kind = content_type.partition(";")[0].strip().lower()
        if not body:
            if operation.get("requestBody", {}).get("required"):
                found.append("no body")
        elif kind not in kinds:
            found.append(f"content type {kind or 'missing'}; published: {', '.join(kinds) or 'no body'}")
        elif kind == FORM:
            found += self._form_faults(template, method.lower(), kinds[kind]["schema"], body.decode("utf-8", "replace"))
        return [f"{method} {template}: {one}" for one in found]

    def _query_faults(self, operation: Mapping[str, Any], query: str) -> Iterator[str]:
        given = dict(parse_qsl(query, keep_blank_values=True))
        known = {one["name"]: one for one in map(self._resolved, operation.get("parameters", ()))}
        known = {name: one for name, one in known.items() if one["in"] == "query"}
        for name in given.keys() - known.keys():
            yield f"unknown parameter {name}"
        for name, one in known.items():
            if name not in given:
                if one.get("required"):
                    yield f"parameter {name} is missing"
                continue
            schema = self._resolved(one.get("schema", {}))
            errors = Draft202012Validator(schema, registry=self.registry).iter_errors(_typed(given[name], schema))
            yield from (f"parameter {name}: {error.message}" for error in errors)

    def _form_faults(self, template: str, method: str, schema: Mapping[str, Any], body: str) -> Iterator[str]:
        given = dict(parse_qsl(body, keep_blank_values=True))
        fields: dict[str, Mapping[str, Any]] = dict(self._fields(schema))
        for name in given.keys() - fields.keys():
            yield f"unknown field {name}"
        typed = {name: _typed(value, fields.get(name, {})) for name, value in given.items()}
        # Each field on its own as well: an alternative without any fields takes everything.
        for name in given.keys() & fields.keys():
            errors = Draft202012Validator(fields[name], registry=self.registry).iter_errors(typed[name])
            yield from (f"{name}: {error.message}" for error in errors)
        pointer = f"/paths/{_escape(template)}/{method}/requestBody/content/{_escape(FORM)}/schema"
        for error in self._validator(pointer).iter_errors(typed):
            # Without a context several of the alternatives fit: a game with a clock is an unlimited one with more
            # fields.
            if not error.absolute_path and (error.validator != "oneOf" or error.context):
                yield error.message

    def _fields(self, schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All fields of a form, whatever alternatives they belong to."""
        schema = self._resolved(schema)
        for name, one in schema.get("properties", {}).items():
            yield name, self._resolved(one)
        for kind in ("allOf", "oneOf", "anyOf"):
            for part in schema.get(kind, ()):
                yield from self._fields(part)

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema:
            found: Any = self.spec
            for part in schema["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            schema = found
        return schema

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


def _typed(text: str, schema: Mapping[str, Any]) -> object:
    """The value that a text of an address or a form stands for; the text itself where it stands for none."""
    kind = schema.get("type")
    if kind == "boolean":
        return BOOLEANS.get(text, text)
    if kind in ("integer", "number"):
        try:
            return int(text) if kind == "integer" else float(text)
        except ValueError:
            return text
    return text


def _escape(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1").replace("{", "%7B").replace("}", "%7D")
