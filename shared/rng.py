"""Chance that anybody can check afterwards: draws keyed by a secret seed, a counter and a label.

The algorithm is fixed, with test vectors, in docs/fairness.md; a change there is a change of every game.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from msgspec import Struct

from shared.kernel import Draw

_SPAN = 1 << 64


def server_seed(key: bytes, game_id: str) -> bytes:
    r"""Return the 32 secret bytes of one game: HMAC-SHA256(key, "strata/server-seed/1\0" + game id)."""
    return hmac.digest(key, b"strata/server-seed/1\0" + game_id.encode(), "sha256")


def commitment(seed: bytes) -> bytes:
    """Return the 32 bytes published before any player's entropy is known: SHA-256 of the server seed."""
    return hashlib.sha256(seed).digest()


def game_seed(seed: bytes, entropies: Sequence[bytes]) -> bytes:
    r"""Mix the seats' entropies, in seat order, into the seed all draws come from (32 bytes).

    HMAC-SHA256(server seed, "strata/game-seed/1\0" + for each seat: length as 4 bytes big-endian + entropy).
    """
    message = b"strata/game-seed/1\0" + b"".join(len(e).to_bytes(4, "big") + e for e in entropies)
    return hmac.digest(seed, message, "sha256")


def draw_below(seed: bytes, counter: int, label: str, bound: int) -> int:
    r"""Return draw number `counter`: an integer uniform in 0 … bound-1 (1 <= bound <= 2**32).

    Attempt k hashes HMAC-SHA256(seed, "strata/draw/1\0" + counter as 8 bytes + k as 4 bytes + label); its first
    8 bytes, big-endian, are x; x is taken modulo `bound` unless it lies in the last, incomplete multiple of `bound`.
    """
    limit = _SPAN - _SPAN % bound
    prefix = b"strata/draw/1\0" + counter.to_bytes(8, "big")
    for attempt in range(1 << 32):
        digest = hmac.digest(seed, prefix + attempt.to_bytes(4, "big") + label.encode(), "sha256")
        x = int.from_bytes(digest[:8], "big")
        if x < limit:
            return x % bound
    raise AssertionError("unreachable: 2**32 rejected attempts")


class DrawRecord(Struct, frozen=True):
    """One draw as a commit records it: `result` is draw number `counter` below `bound`, made for `label`."""

    counter: int
    label: str
    bound: int
    result: int


class KeyedDraw(Draw):
    """Draws from a game's seed, counting from `counter`; `records` holds what was drawn."""

    def __init__(self, seed: bytes, counter: int = 0) -> None:
        """Start at draw number `counter` of the game with this seed."""
        self._seed = seed
        self._counter = counter
        self.records: list[DrawRecord] = []

    def below(self, bound: int, label: str) -> int:
        """See `draw_below`."""
        result = draw_below(self._seed, self._counter, label, bound)
        self.records.append(DrawRecord(self._counter, label, bound, result))
        self._counter += 1
        return result
