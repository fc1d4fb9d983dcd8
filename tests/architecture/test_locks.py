from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

LOCKS = [*sorted(ROOT.glob("requirements*.lock")), ROOT / "deploy" / "envoy" / "requirements.lock"]
PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)")


def pins(lock: Path) -> dict[str, str]:
    found = map(PIN.match, lock.read_text().splitlines())
    return {match[1]: match[2] for match in found if match}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_lock_pins_by_version_and_hash_and_names_no_place(lock: Path) -> None:
    """Each package has an exact version and at least one hash; no line says where to fetch from."""
    text = lock.read_text()
    assert "://" not in text
    for requirement in text.replace("\\\n", " ").splitlines():
        assert PIN.match(requirement), requirement
        assert "--hash=sha256:" in requirement, requirement


def test_the_locks_agree_with_each_other() -> None:
    """What runs in the image is what was tested: the development lock extends the other two."""
    development = pins(ROOT / "requirements-dev.lock")
    assert pins(ROOT / "requirements.lock").items() <= development.items()
    assert pins(ROOT / "requirements-build.lock").items() <= development.items()


def test_an_isolated_build_uses_the_locked_generator() -> None:
    """Code from a newer grpcio-tools than the locked one would refuse to run on the locked grpcio."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    locked = pins(ROOT / "requirements-build.lock")
    for requirement in project["build-system"]["requires"]:
        name, _, version = requirement.partition("==")
        assert locked[name] == version
