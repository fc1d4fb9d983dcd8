"""Ids and invitations that follow from a request, so that a repeated request finds what the first one made."""

from __future__ import annotations

import base64
import hmac


class Names:
    """Derives names with a secret, so that nobody can guess the id of a private table or its invitation."""

    def __init__(self, secret: bytes) -> None:
        """Derive from this secret."""
        self._secret = secret

    def table_id(self, caller: str, request_id: str) -> str:
        """Return the id of the table that this request opens."""
        return self._derive("table", f"{caller}\0{request_id}", 20)

    def game_id(self, table_id: str) -> str:
        """Return the id of a table's game."""
        return self._derive("game", table_id, 20)

    def invitation(self, table_id: str) -> str:
        """Return the code that lets people into a private table."""
        return self._derive("invitation", table_id, 12)

    def invites(self, table_id: str, code: str) -> bool:
        """Say whether a code lets its holder into a table."""
        return hmac.compare_digest(self.invitation(table_id).encode(), code.encode())

    def _derive(self, what: str, of: str, length: int) -> str:
        digest = hmac.digest(self._secret, f"strata/{what}/1\0{of}".encode(), "sha256")
        return base64.b32encode(digest).decode().lower()[:length]
