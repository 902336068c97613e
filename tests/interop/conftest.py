"""The peers as fixtures. Where they are missing the tests skip, except in CI: there they fail."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from nostrmcp.nostr import SecretKey

from .peers import ForeignRelay, missing

HERE = Path(__file__).resolve().parent
ADAPTERS = HERE / "adapters"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and ADAPTERS not in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def peers() -> None:
    """The published software is there."""
    reason = missing()
    if reason is not None and os.environ.get("CI") == "true":
        pytest.fail(reason)
    if reason is not None:
        pytest.skip(reason)


@pytest.fixture(autouse=True)
def with_peers(request: pytest.FixtureRequest) -> None:
    """No test of this folder runs without them."""
    if ADAPTERS not in request.path.parents:
        request.getfixturevalue("peers")


@pytest.fixture(scope="session", params=["rust", "npm", "python"])
def relay(
    request: pytest.FixtureRequest, peers: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ForeignRelay]:
    """Each foreign relay in turn, its limits lifted; one process for all tests, so use the keys below."""
    with ForeignRelay(request.param, tmp_path_factory.mktemp(request.param)) as one:
        yield one


@pytest.fixture
def alice(request: pytest.FixtureRequest) -> SecretKey:
    """A key of this test alone: what others have stored on a relay is not in its way."""
    return SecretKey(sha256(f"alice {request.node.nodeid}".encode()).digest())


@pytest.fixture
def bob(request: pytest.FixtureRequest) -> SecretKey:
    """Another key of this test alone."""
    return SecretKey(sha256(f"bob {request.node.nodeid}".encode()).digest())
