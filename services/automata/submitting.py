"""Sending an answer to the engine of a title, over gRPC like any other client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import grpc

from services.automata.games import Ask
from shared.auth import Caller, Role, Tokens
from shared.clock import Clock
from shared.engine.title_wire import TitleWire
from shared.errors import Fault, reason_of

CALL_SECONDS = 10.0
TOKEN_SECONDS = 3600
MYSELF = Caller(Role.SERVICE, "automata", "automata")

_LOST = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
)
_PATIENT = (Fault.TOO_MANY.name, Fault.TOO_SLOW.name)


class Lost(Exception):
    """The engine gave no answer; the request can be made again as it is."""


class Refused(Exception):
    """The engine refused: the text is the stable reason, or the status where there is none."""


class Badge:
    """The token by which the automata call; renewed well before it expires."""

    def __init__(self, key: bytes, clock: Clock) -> None:
        """Sign with the key all services share."""
        self._tokens = Tokens(key, clock)
        self._clock = clock
        self._token = self._tokens.issue(MYSELF, TOKEN_SECONDS)

    def metadata(self, game_id: str) -> tuple[tuple[str, str], ...]:
        """Return what goes with a call: who calls, and the game for the proxy that spreads games over engines."""
        if self._clock() > self._token.expires_at - TOKEN_SECONDS * 500:
            self._token = self._tokens.issue(MYSELF, TOKEN_SECONDS)
        return (("authorization", f"Bearer {self._token.text}"), ("game_id", game_id))


class Engine:
    """The engine of one title."""

    def __init__(self, wire: TitleWire, channel: grpc.aio.Channel, badge: Badge) -> None:
        """Call over `channel`, which stays the caller's to close."""
        self._wire = wire
        self._badge = badge
        self._request: Any = wire.message("SubmitActionRequest")
        make: Any = channel.unary_unary
        self._submit: Callable[..., Awaitable[Any]] = make(
            f"/{wire.service.full_name}/SubmitAction",
            self._request.SerializeToString,
            wire.message("SubmitActionResponse").FromString,
        )

    async def submit(self, game_id: str, ask: Ask, action: Any) -> None:
        """Answer for a seat; a repeat of the same answer is harmless. Raises `Lost` or `Refused`."""
        request = self._request(
            game_id=game_id,
            seat=ask.seat,
            action=self._wire.actions.to_message(action),
            request_id=request_id(ask),
            expected_version=ask.version,
        )
        try:
            await self._submit(request, metadata=self._badge.metadata(game_id), timeout=CALL_SECONDS)
        except grpc.aio.AioRpcError as error:
            reason = reason_of(error) or error.code().name
            if reason in _PATIENT or (error.code() in _LOST and reason != Fault.GAME_UNREADABLE.name):
                raise Lost(reason) from error
            raise Refused(reason) from error


def request_id(ask: Ask) -> str:
    """Return the request id of a decision: request ids belong to their game, so version and seat are enough."""
    return f"automaton-{ask.version}-{ask.seat}"
