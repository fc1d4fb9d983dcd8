"""Logs hide what is secret."""

from __future__ import annotations

from shared.logs import hide_secrets


def test_fields_that_name_a_secret_are_blanked() -> None:
    """Tokens, keys, seeds, invitations and entropies do not reach the log, whatever their value."""
    event = {"event": "x", "access_token": "a", "seed": b"b", "game_id": "g", "invitation": "c", "auth_key": "d"}
    assert hide_secrets(None, "", event) == {
        "event": "x",
        "access_token": "(hidden)",
        "seed": "(hidden)",
        "game_id": "g",
        "invitation": "(hidden)",
        "auth_key": "(hidden)",
    }
