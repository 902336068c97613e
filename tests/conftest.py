"""Options, markers and Hypothesis profiles.

Nothing of nostrmcp is imported at the top: `--public-api` works only if it comes first.
"""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, settings

# A slow machine is no reason to fail.
_ANY_SPEED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("quick", max_examples=50, derandomize=True, **_ANY_SPEED)
settings.register_profile("deep", max_examples=2000, print_blob=True, **_ANY_SPEED)
settings.load_profile(os.environ.get("NOSTRMCP_HYPOTHESIS", "quick"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--public-api",
        action="store_true",
        help="hide coincurve's private bindings, so that the fallback through its public API is tested",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a fraction of a second")
    if config.getoption("--public-api"):
        import coincurve  # noqa: F401  (it needs the bindings itself, so it is loaded before they are hidden)

        assert "nostrmcp.nostr" not in sys.modules, "the choice of the curve is made on import"
        sys.modules["coincurve._libsecp256k1"] = None  # type: ignore[assignment]


@pytest.fixture(scope="session")
def public_api(pytestconfig: pytest.Config) -> bool:
    """Whether this run hides coincurve's private bindings."""
    return bool(pytestconfig.getoption("--public-api"))
