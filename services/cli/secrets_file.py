"""The secrets of a server that a person runs at home: made once, kept in a file that only its owner can read.

Without them every restart would forget who the guests are and could not go on with a game's chance.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import msgspec
from msgspec import Struct

from shared.auth import KEY_BYTES
from shared.config import ConfigError, SeedKey

_FILE = "secrets.json"


class Secrets(Struct, frozen=True, forbid_unknown_fields=True):
    """The key that signs tokens and the keys that seeds are derived from (by id, newest first), in hexadecimal."""

    auth_key: str
    seed_keys: dict[str, str]

    def __repr__(self) -> str:
        """Show nothing."""
        return "Secrets(…)"

    def auth(self) -> bytes:
        """Return the key that signs tokens."""
        return bytes.fromhex(self.auth_key)

    def seeds(self) -> tuple[SeedKey, ...]:
        """Return the keys of chance, the one for new games first."""
        return tuple(SeedKey(key_id, bytes.fromhex(secret)) for key_id, secret in self.seed_keys.items())


def made_up() -> Secrets:
    """Return new random secrets."""
    return Secrets(secrets.token_hex(KEY_BYTES), {"k1": secrets.token_hex(KEY_BYTES)})


def keep(folder: Path) -> Secrets:
    """Return the secrets of a server whose files lie in `folder`, made at the first time.

    Raises `ConfigError` for a file that cannot be read or that others may read.
    """
    path = folder / _FILE
    folder.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _write(path, made_up())
    if path.stat().st_mode & 0o077:
        raise ConfigError(f"{path} can be read by others; run: chmod 600 {path}")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Secrets)
        usable = len(found.auth()) >= KEY_BYTES and bool(found.seeds())
    except (OSError, ValueError, msgspec.MsgspecError):
        usable = False
    if not usable:
        raise ConfigError(
            f"{path} does not hold usable keys; put it back as it was, or remove it and with it every token"
        )
    return found


def _write(path: Path, fresh: Secrets) -> None:
    """Write the file whole or not at all, readable by nobody else at any moment."""
    half = path.with_suffix(f".{os.getpid()}")
    descriptor = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(fresh), indent=2) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(half, path)
    except FileExistsError:
        pass
    finally:
        half.unlink()
