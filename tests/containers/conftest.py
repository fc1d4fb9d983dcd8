from __future__ import annotations

import secrets
import subprocess
from collections.abc import Iterator

import pytest
from testcontainers.compose import DockerCompose

from tests.conftest import ROOT, require_engine


@pytest.fixture(scope="module")
def composition() -> Iterator[DockerCompose]:
    """Everything in docker-compose.yml, healthy, under a project name and a port of its own."""
    require_engine()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMPOSE_PROJECT_NAME", f"strata-test-{secrets.token_hex(4)}")
        patch.setenv("STRATA_PORT", "0")
        compose = DockerCompose(ROOT, build=True, quiet_build=True)
        try:
            compose.start()
            yield compose
        except subprocess.CalledProcessError as error:
            logs, _ = compose.get_logs()
            pytest.fail(f"docker compose: {error.stderr.decode()}\n{logs}", pytrace=False)
        finally:
            compose.stop()


def front_of(composition: DockerCompose) -> str:
    """Return where a client reaches the composition; a restart may change it."""
    return f"127.0.0.1:{composition.get_service_port('front', 50051)}"
