"""One running product with the demo scenario for the tests of the main loop."""

from collections.abc import Iterator

import pytest

from launcher.stack import Stack
from tests import stack as product


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The three services with the fake Pi and the demo scenario."""
    with product.running(tmp_path_factory.mktemp("product"), product.fake_pi()) as running:
        yield running


@pytest.fixture
def reviewer(stack: Stack) -> Iterator[product.Reviewer]:
    """A reviewer at that product."""
    with product.Reviewer(stack.url) as person:
        yield person
