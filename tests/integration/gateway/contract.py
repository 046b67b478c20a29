"""What every answer of the gateway must satisfy, asserted by each test that gets one."""

import re
from typing import Any

import httpx
from jsonschema import Draft202012Validator

from contracts.errors import Code
from services.gateway import openapi
from services.gateway.routes import ENDPOINTS

DOCUMENT = openapi.document(ENDPOINTS)
PROBLEM = "application/problem+json"
_PATHS = {
    path: re.compile(re.sub(r"\{\w+\}", "[^/]+", path) if "{" in path else re.escape(path))
    for path in DOCUMENT["paths"]
}


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """A validator of `schema`, whose references point into the document."""
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def operation_of(request: httpx.Request) -> dict[str, Any] | None:
    """The operation that the document declares for `request`."""
    path = request.url.raw_path.decode().partition("?")[0]
    # A literal path wins over one with parameters, as in the router.
    for template in sorted(_PATHS, key=lambda each: each.count("{")):
        if _PATHS[template].fullmatch(path):
            return DOCUMENT["paths"][template].get(request.method.lower())
    return None


async def assert_as_documented(response: httpx.Response) -> None:
    """The status, content type, headers and JSON of `response` are those that /openapi.json promises."""
    assert response.headers["x-content-type-options"] == "nosniff"
    operation = operation_of(response.request)
    media_type = response.headers.get("content-type", "").partition(";")[0]
    if operation is None:
        assert response.status_code in {403, 404, 405}
        assert media_type == PROBLEM
        return
    declared = operation["responses"].get(str(response.status_code))
    name = operation["operationId"]
    assert declared is not None, f"{name} answers {response.status_code}, which the document does not declare"
    content = declared.get("content", {})
    if not content:
        return
    assert media_type in content, f"{name} answers {media_type}"
    schema = content[media_type]["schema"]
    if schema:
        await response.aread()
        errors = [error.message for error in validator(schema).iter_errors(response.json())]
        assert errors == [], f"{name}: {errors}"


def assert_problem(response: httpx.Response, code: Code, **members: Any) -> dict[str, Any]:
    """`response` is the problem of `code` (RFC 9457), in one line, and has these `members`."""
    kind = code.kind
    assert response.status_code == kind.http_status, response.text
    assert response.headers["content-type"] == PROBLEM
    problem = response.json()
    assert problem["type"] == f"/problems/{code.value}"
    assert problem["title"] == kind.title
    assert problem["status"] == kind.http_status
    assert problem["code"] == code.value
    assert problem["instance"].startswith("/")
    assert problem["detail"]
    assert "\n" not in problem["detail"]
    assert {name: problem.get(name) for name in members} == members
    assert ("retry-after" in response.headers) is kind.retry
    return problem
