"""IdentityService: a development issuer of guest tokens."""

from __future__ import annotations

from typing import Any

from shared.auth import Caller, Role, Tokens
from shared.ids import check_name, new_id
from strata.identity.v1 import identity_pb2, identity_pb2_grpc


class IdentityService(identity_pb2_grpc.IdentityServiceServicer):
    """Gives anybody who asks a new player id and a token for it."""

    def __init__(self, tokens: Tokens, token_seconds: int) -> None:
        """Issue tokens that live for so many seconds."""
        self._tokens = tokens
        self._seconds = token_seconds

    async def CreateGuest(self, request: identity_pb2.CreateGuestRequest, _: Any) -> identity_pb2.CreateGuestResponse:
        """Make a new guest; see the proto."""
        guest = Caller(Role.PLAYER, new_id(), check_name(request.display_name))
        token = self._tokens.issue(guest, self._seconds)
        return identity_pb2.CreateGuestResponse(
            player_id=guest.id, display_name=guest.name, access_token=token.text, expires_at=token.expires_at
        )
