"""The brain `random`."""

from __future__ import annotations

from collections import Counter

from services.automata.brains import brains_of
from tests.titles import TITLES
from tests.unit.automata.positions import chance


def test_random_takes_any_action() -> None:
    """Of three legal actions each is taken about a third of the time, whatever the title; the view is not looked at."""
    draw = chance("uniform")
    brain = brains_of("a title without brains of its own")["random"]
    taken = Counter(brain.choose(TITLES[0], None, ("a", "b", "c"), draw) for _ in range(900))
    assert set(taken) == {"a", "b", "c"}
    assert min(taken.values()) > 240
