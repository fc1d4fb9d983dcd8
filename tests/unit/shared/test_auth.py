"""Tokens: who they name, and which ones are refused."""

from __future__ import annotations

import jwt
import pytest

from shared.auth import Caller, Role, Tokens
from shared.errors import Problem

KEY = bytes(range(32))
ANN = Caller(Role.PLAYER, "ann", "Ann Ångström")


class Hands:
    """A clock whose hands tests turn; milliseconds."""

    def __init__(self) -> None:
        """Start at second 1,000."""
        self.time = 1_000_000

    def __call__(self) -> int:
        """Tell the time."""
        return self.time


def reason(tokens: Tokens, text: str) -> str:
    """Return why a token is refused."""
    with pytest.raises(Problem) as caught:
        tokens.verify(text)
    return caught.value.reason


def test_a_token_names_its_caller_until_it_expires() -> None:
    """A token for 60 seconds is good at second 59 and EXPIRED_TOKEN at second 60, also when it was verified before."""
    clock = Hands()
    tokens = Tokens(KEY, clock)
    token = tokens.issue(ANN, 60)
    clock.time += 59_999
    assert tokens.verify(token.text) == ANN
    assert token.expires_at == 1_060_000
    clock.time += 1
    assert reason(tokens, token.text) == "EXPIRED_TOKEN"
    assert reason(Tokens(KEY, clock), token.text) == "EXPIRED_TOKEN"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not a token",
        jwt.encode({"sub": "ann", "name": "", "role": "player", "exp": 9999, "aud": "strata"}, bytes(32), "HS256"),
        jwt.encode({"sub": "ann", "name": "", "role": "player", "exp": 9999, "aud": "other"}, KEY, "HS256"),
        jwt.encode({"sub": "ann", "name": "", "role": "king", "exp": 9999, "aud": "strata"}, KEY, "HS256"),
        jwt.encode({"sub": "ann", "name": "", "role": "player", "aud": "strata"}, KEY, "HS256"),
        jwt.encode({"sub": "ann", "name": "", "role": "player", "exp": 9999, "aud": "strata"}, KEY + KEY, "HS512"),
        jwt.encode({"sub": "ann", "name": "", "role": "service", "exp": 9999, "aud": "strata"}, None, "none"),
    ],
)
def test_a_token_that_is_not_ours_is_refused(text: str) -> None:
    """Forged, foreign, incomplete and unsigned tokens are BAD_TOKEN."""
    assert reason(Tokens(KEY, Hands()), text) == "BAD_TOKEN"


def test_a_short_key_is_refused() -> None:
    """A key of 31 bytes would be too easy to guess."""
    with pytest.raises(ValueError, match="at least 32 bytes"):
        Tokens(bytes(31))
