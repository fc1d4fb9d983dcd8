"""Who is calling: bearer tokens (JWT, HS256) that name a player or a service.

The table service issues guest tokens to players; services make their own from the shared key. A verified token is
remembered until it expires, because checking a signature costs more than the rest of a call's bookkeeping.
"""

from __future__ import annotations

from collections import OrderedDict
from contextvars import ContextVar
from enum import Enum

import jwt
from msgspec import Struct

from shared.clock import Clock, now
from shared.errors import Fault, Problem

_ALGORITHM = "HS256"
_AUDIENCE = "strata"
_REMEMBERED = 50_000
KEY_BYTES = 32


class Role(Enum):
    """What a caller is."""

    PLAYER = "player"
    SERVICE = "service"


class Caller(Struct, frozen=True):
    """The verified caller of an RPC: a player's id and display name, or a service's name."""

    role: Role
    id: str
    name: str


class Token(Struct, frozen=True):
    """A signed token and when it expires (milliseconds since the epoch); its text is a secret."""

    text: str
    expires_at: int

    def __repr__(self) -> str:
        """Show when it expires and nothing else."""
        return f"Token(expires_at={self.expires_at})"


current_caller: ContextVar[Caller | None] = ContextVar("current_caller", default=None)


def caller() -> Caller:
    """Return who makes the present call; raises `Problem(NO_TOKEN)` when the call carried no token."""
    found = current_caller.get()
    if found is None:
        raise Problem(Fault.NO_TOKEN, "send a token: authorization: Bearer <access_token>")
    return found


def require_service() -> Caller:
    """Return the calling service; raises `Problem(NOT_ALLOWED)` for anybody else."""
    found = caller()
    if found.role is not Role.SERVICE:
        raise Problem(Fault.NOT_ALLOWED, "this call is for Strata's own services")
    return found


def require_player() -> Caller:
    """Return the calling player; raises `Problem(NOT_ALLOWED)` for a service."""
    found = caller()
    if found.role is not Role.PLAYER:
        raise Problem(Fault.NOT_ALLOWED, "this call is for players")
    return found


class Tokens:
    """Issues and verifies tokens with one shared key (at least 32 bytes)."""

    def __init__(self, key: bytes, clock: Clock = now) -> None:
        """Use `key` for signing; raises ValueError when it is too short to be safe."""
        if len(key) < KEY_BYTES:
            raise ValueError(f"the authentication key must have at least {KEY_BYTES} bytes, it has {len(key)}")
        self._key = key
        self._clock = clock
        self._verified: OrderedDict[str, tuple[Caller, int]] = OrderedDict()

    def issue(self, who: Caller, seconds: int) -> Token:
        """Return a token for `who` that is good for so many seconds."""
        expires = self._clock() // 1000 + seconds
        claims = {"sub": who.id, "name": who.name, "role": who.role.value, "exp": expires, "aud": _AUDIENCE}
        return Token(jwt.encode(claims, self._key, _ALGORITHM), expires * 1000)

    def verify(self, text: str) -> Caller:
        """Return the caller a token names; raises `Problem(BAD_TOKEN)` or `Problem(EXPIRED_TOKEN)`."""
        known = self._verified.get(text)
        if known is None:
            known = self._decode(text)
            self._verified[text] = known
            if len(self._verified) > _REMEMBERED:
                self._verified.popitem(last=False)
        who, expires_at = known
        if self._clock() >= expires_at:
            self._verified.pop(text, None)
            raise Problem(Fault.EXPIRED_TOKEN, "the access token has expired; get a new one")
        return who

    def _decode(self, text: str) -> tuple[Caller, int]:
        """Check signature, audience and shape."""
        try:
            claims = jwt.decode(
                text,
                self._key,
                algorithms=[_ALGORITHM],
                audience=_AUDIENCE,
                options={"require": ["sub", "exp", "role", "name"], "verify_exp": False},
            )
            return Caller(Role(claims["role"]), str(claims["sub"]), str(claims["name"])), int(claims["exp"]) * 1000
        except (jwt.InvalidTokenError, ValueError) as error:
            raise Problem(Fault.BAD_TOKEN, "the access token is not one of ours") from error
