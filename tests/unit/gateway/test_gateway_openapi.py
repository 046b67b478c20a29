"""The OpenAPI document is well formed; that answers keep to it is held by the integration tests."""

import json
import re
from collections import Counter
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from contracts.errors import Code
from services.gateway import openapi
from services.gateway.endpoints import Endpoint
from services.gateway.routes import ENDPOINTS

DOCUMENT: dict[str, Any] = json.loads(openapi.encode(ENDPOINTS))
OPERATIONS = [
    (path, method, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def references(value: Any) -> set[str]:
    """Every `$ref` inside `value`."""
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set[str]()
        return own.union(*(references(member) for member in value.values()))
    if isinstance(value, list):
        return set[str]().union(*(references(item) for item in value))
    return set()


def test_every_reference_leads_to_a_schema() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert references(DOCUMENT) == {f"#/components/schemas/{name}" for name in schemas}
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)


def test_every_operation_has_a_name_of_its_own() -> None:
    names = Counter(operation["operationId"] for _path, _method, operation in OPERATIONS)
    assert set(names.values()) == {1}
    assert len(OPERATIONS) == len(ENDPOINTS)


def test_every_parameter_of_a_path_is_declared() -> None:
    for path, _method, operation in OPERATIONS:
        declared = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert declared == set(re.findall(r"\{(\w+)\}", path))


def test_every_operation_declares_success_and_failures() -> None:
    for path, _method, operation in OPERATIONS:
        statuses = set(operation["responses"])
        assert statuses & {"200", "201"}, path
        assert {"403", "422", "500"} <= statuses, path


def test_queries_and_bodies_are_described_by_the_models_that_check_them() -> None:
    preview = DOCUMENT["paths"]["/sessions/{id}/sql/preview"]["post"]
    limit = next(each for each in preview["parameters"] if each["name"] == "limit")
    assert (limit["schema"]["minimum"], limit["schema"]["maximum"], limit["schema"]["default"]) == (
        1,
        10_000,
        100,
    )
    created = DOCUMENT["components"]["schemas"]["CreateSession"]
    assert created["additionalProperties"] is False
    assert created["required"] == ["workspace", "question"]
    assert created["properties"]["question"]["maxLength"] == 20_000


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
def test_what_an_endpoint_can_fail_with_is_listed_once(endpoint: Endpoint) -> None:
    assert len(set(endpoint.all_faults)) == len(endpoint.all_faults)
    assert Code.FORBIDDEN_ORIGIN in endpoint.all_faults
