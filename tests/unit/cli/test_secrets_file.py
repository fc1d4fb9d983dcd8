"""The secrets of a server at home: made once, private, kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.cli import secrets_file
from shared.config import ConfigError


def test_secrets_are_made_once_and_kept(tmp_path: Path) -> None:
    """A second start reads what the first one wrote; the folder is made if need be."""
    folder = tmp_path / "var" / "deep"
    first = secrets_file.keep(folder)
    assert secrets_file.keep(folder) == first
    assert len(first.auth()) == 32
    assert [len(key.secret) for key in first.seeds()] == [32]


def test_nobody_else_can_read_them(tmp_path: Path) -> None:
    """The file has mode 0600, nothing is left beside it, and no text shows them."""
    kept = secrets_file.keep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["secrets.json"]
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert kept.auth_key not in repr(kept)


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    """A secret that leaked is none; the sentence says what to do."""
    secrets_file.keep(tmp_path)
    (tmp_path / "secrets.json").chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        secrets_file.keep(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"auth_key": "00", "seed_keys": {}}', '{"auth_key": "zz", "seed_keys": {"a": "00"}}']
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    """What cannot be read is never written over: it may be put right, and every token hangs on it."""
    path = tmp_path / "secrets.json"
    path.touch(mode=0o600)
    path.write_text(text)
    with pytest.raises(ConfigError):
        secrets_file.keep(tmp_path)
    assert path.read_text() == text
