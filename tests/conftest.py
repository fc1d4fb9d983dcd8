"""What every test layer shares: how tests that need a container engine behave where there is none.

On a person's machine they are skipped, with the reason; where `CI` is `true` they fail, because there the engine is
ours to provide (`.ci/run`).
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from testcontainers.core.config import ConnectionMode, testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

ROOT = Path(__file__).resolve().parent.parent
REDIS_IMAGE = "redis:7-bookworm"


def pytest_configure(config: pytest.Config) -> None:
    """Tell testcontainers how we use it."""
    del config
    # Its reaper is an image of its own to be pulled; our fixtures remove what they start.
    testcontainers_config.ryuk_disabled = True
    # A machine that is a container itself still reaches published ports on its own loopback.
    testcontainers_config.connection_mode_override = ConnectionMode.docker_host


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that `make playthroughs` uses."""
    parser.addoption(
        "--rewrite-playthroughs", action="store_true", help="write the recorded games anew instead of comparing"
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Apply the policy to tests marked `container`."""
    if item.get_closest_marker("container"):
        require_engine()


@pytest.fixture(scope="session")
def redis_container_url() -> Iterator[str]:
    """Run a Redis container, durable as in docker-compose.yml, for the whole session; give its URL."""
    require_engine()
    # A network of its own, because only so a published port stays on the loopback.
    network = Network(docker_network_kw={"options": {"com.docker.network.bridge.host_binding_ipv4": "127.0.0.1"}})
    container = (
        DockerContainer(REDIS_IMAGE)
        .with_network(network)
        .with_command("redis-server /etc/strata/redis.conf")
        .with_volume_mapping(str(ROOT / "deploy" / "redis.conf"), "/etc/strata/redis.conf", "ro")
        .with_exposed_ports(6379)
        .waiting_for(LogMessageWaitStrategy("Ready to accept connections").with_startup_timeout(120))
    )
    with network, container:
        yield f"redis://{container.get_container_host_ip()}:{container.get_exposed_port(6379)}/0"


def require_engine() -> None:
    """Let a test go on only with a container engine at hand: skip it, or fail it under CI."""
    missing = _what_is_missing()
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"under CI container tests must run: {missing}", pytrace=False)
    if missing:
        pytest.skip(missing)


@functools.cache
def _what_is_missing() -> str:
    for command, sentence in (
        (("docker", "info"), "no container engine answers `docker info`: install and start Docker"),
        (("docker", "compose", "version"), "`docker compose` is missing: install Docker's compose plugin"),
    ):
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=30)
        except (OSError, subprocess.SubprocessError):
            return sentence
    return ""
