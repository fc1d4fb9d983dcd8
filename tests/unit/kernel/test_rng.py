"""The keyed draw, computed a second time with nothing but hmac and hashlib (docs/fairness.md)."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from shared.rng import DrawRecord, KeyedDraw, commitment, draw_below, game_seed, server_seed

SEED = bytes(range(32))
LIMIT = 1 << 64


def attempt(seed: bytes, counter: int, number: int, label: str) -> int:
    """Return the 64 bits of one attempt."""
    message = b"strata/draw/1\x00" + counter.to_bytes(8, "big") + number.to_bytes(4, "big") + label.encode("utf-8")
    return int.from_bytes(hmac.new(seed, message, hashlib.sha256).digest()[:8], "big")


@pytest.mark.parametrize("bound", [1, 2, 3, 8, 60, 1000, 2**32 - 1, 2**32])
@pytest.mark.parametrize("counter", [0, 1, 255, 256, 2**40])
@pytest.mark.parametrize("label", ["", "land_deck", "Göttin"])
def test_a_draw_is_the_hash_modulo_the_bound(bound: int, counter: int, label: str) -> None:
    """The first attempt counts unless it lies in the last, incomplete multiple of the bound."""
    number = 0
    while (drawn := attempt(SEED, counter, number, label)) >= LIMIT // bound * bound:
        number += 1
    assert draw_below(SEED, counter, label, bound) == drawn % bound


def test_an_attempt_in_the_incomplete_multiple_is_rejected() -> None:
    """A bound a little over half the span rejects almost half of the first attempts; then the next one counts."""
    bound = LIMIT // 2 + 1
    rejected = 0
    for counter in range(40):
        attempts = (attempt(SEED, counter, number, "x") for number in range(100))
        kept = next(drawn for drawn in attempts if drawn < bound)
        rejected += attempt(SEED, counter, 0, "x") >= bound
        assert draw_below(SEED, counter, "x", bound) == kept
    assert 0 < rejected < 40


@pytest.mark.rule("SW-15.15")
def test_seeds_and_commitment_are_one_way_hashes() -> None:
    """The server seed is an HMAC of 256 bits for one game alone, the commitment its SHA-256, the game seed an HMAC."""
    seed = server_seed(b"key", "game-1")
    assert seed == hmac.new(b"key", b"strata/server-seed/1\x00game-1", hashlib.sha256).digest()
    assert len(seed) == 32
    assert seed != server_seed(b"key", "game-2") != server_seed(b"other", "game-2")
    assert commitment(seed) == hashlib.sha256(seed).digest()
    mixed = b"strata/game-seed/1\x00" + b"\x00\x00\x00\x02ab" + b"\x00\x00\x00\x00" + b"\x00\x00\x00\x01c"
    assert game_seed(seed, [b"ab", b"", b"c"]) == hmac.new(seed, mixed, hashlib.sha256).digest()


def test_entropies_cannot_be_shifted_between_seats() -> None:
    """Because each has its length before it, ab and c mix differently from a and bc."""
    assert game_seed(SEED, [b"ab", b"c"]) != game_seed(SEED, [b"a", b"bc"])


@pytest.mark.rule("SW-15.15")
def test_a_draw_depends_on_seed_counter_and_label() -> None:
    """Another seed, number or label gives another draw."""
    base = draw_below(SEED, 0, "a", 2**32)
    others = [draw_below(SEED[::-1], 0, "a", 2**32), draw_below(SEED, 1, "a", 2**32), draw_below(SEED, 0, "b", 2**32)]
    assert base not in others


def test_a_keyed_draw_counts_and_records() -> None:
    """Draws are numbered on from the start number, and each is recorded with its label, bound and result."""
    draw = KeyedDraw(SEED, counter=7)
    results = [draw.below(10, "one"), draw.below(20, "two")]
    assert draw.records == [DrawRecord(7, "one", 10, results[0]), DrawRecord(8, "two", 20, results[1])]
    assert results == [draw_below(SEED, 7, "one", 10), draw_below(SEED, 8, "two", 20)]
