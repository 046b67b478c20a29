"""The OpenAPI 3.1 document, made of the endpoints and the models that serve the requests."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec
from msgspec import Struct

from contracts.errors import Code
from services.gateway.documents import Problem
from services.gateway.endpoints import JSON, Endpoint
from services.gateway.problems import MEDIA_TYPE

_REFERENCE = "#/components/schemas/{name}"


def encode(endpoints: Sequence[Endpoint]) -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document(endpoints))


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The document of `endpoints`."""
    models = sorted(_models(endpoints), key=lambda model: model.__name__)
    _, components = msgspec.json.schema_components(models, ref_template=_REFERENCE)
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for endpoint in endpoints:
        paths[endpoint.path][endpoint.method.lower()] = _operation(endpoint)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ThothII gateway",
            "version": _version(),
            "description": "Ask a database in plain words; only SQL that a person approved runs.",
        },
        "paths": dict(paths),
        "components": {"schemas": components},
    }


def _version() -> str:
    try:
        return version("thothii")
    except PackageNotFoundError:
        return "0"


def _models(endpoints: Iterable[Endpoint]) -> set[type[Struct]]:
    models: set[type[Struct]] = {Problem}
    for endpoint in endpoints:
        models |= {model for model in (endpoint.answer, endpoint.body) if model is not None}
    return models


def _reference(model: type[Struct]) -> dict[str, str]:
    return {"$ref": _REFERENCE.format(name=model.__name__)}


def _operation(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": _parameters(endpoint),
        "responses": _responses(endpoint),
    }
    if endpoint.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {JSON: {"schema": _reference(endpoint.body)}},
        }
    return operation


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"\{(\w+)\}", endpoint.path)
    ]
    _, components = msgspec.json.schema_components([endpoint.query], ref_template=_REFERENCE)
    query = components[endpoint.query.__name__]
    for name, schema in query.get("properties", {}).items():
        shown = dict(schema)
        required = name in query.get("required", ())
        parameter = {"name": name, "in": "query", "required": required, "schema": shown}
        if description := shown.pop("description", ""):
            parameter["description"] = description
        parameters.append(parameter)
    parameters += [
        {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": text}
        for name, text in endpoint.headers.items()
    ]
    return parameters


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    schema = _reference(endpoint.answer) if endpoint.answer else None
    success: dict[str, Any] = {
        "description": endpoint.summary,
        "content": {
            media_type: {"schema": schema} if schema else {"schema": {}}
            for media_type in endpoint.media_types
        },
    }
    if endpoint.answer_headers:
        success["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in endpoint.answer_headers.items()
        }
    responses: dict[str, Any] = {str(endpoint.status): success}
    for status, text in endpoint.also.items():
        responses[str(status)] = {"description": text}
    by_status: dict[int, list[Code]] = defaultdict(list)
    for code in endpoint.all_faults:
        by_status[code.kind.http_status].append(code)
    for status, codes in sorted(by_status.items()):
        responses[str(status)] = {
            "description": "; ".join(f"`{code.value}`: {code.kind.title}" for code in codes),
            "content": {MEDIA_TYPE: {"schema": _reference(Problem)}},
        }
    return responses
