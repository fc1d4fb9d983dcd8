"""Callers and refusals, for tests that speak to services over gRPC."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import grpc
import pytest

from shared.auth import Caller, Role, Tokens
from shared.config import SeedKey, Settings
from shared.errors import reason_of

AUTH_KEY = bytes(range(32))
SETTINGS = Settings(listen="127.0.0.1:0", auth_key=AUTH_KEY, seed_keys=(SeedKey("k1", bytes(16)),))
TOKENS = Tokens(AUTH_KEY)


def metadata(who: str, role: Role = Role.PLAYER) -> tuple[tuple[str, str], ...]:
    """Return the metadata by which a player (or a service) calls."""
    return (("authorization", f"Bearer {TOKENS.issue(Caller(role, who, who), 3600).text}"),)


@contextlib.contextmanager
def refused(code: grpc.StatusCode, reason: str) -> Iterator[None]:
    """Expect a call to fail with this status and this stable reason, and to say why in a sentence."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        yield
    assert (caught.value.code(), reason_of(caught.value)) == (code, reason), caught.value.details()
    assert caught.value.details()
