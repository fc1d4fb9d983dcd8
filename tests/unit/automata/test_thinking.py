"""Thinking: what a brain is given, and what chance depends on."""

from __future__ import annotations

from typing import Any

import pytest

from services.automata.games import Ask
from services.automata.thinking import Thinker, UnknownBrain
from services.strange_world.rules import TITLE
from tests.unit.automata.positions import begun, chance

SECRET = bytes(32)
STATE = begun(4, "thinking")
SEAT = TITLE.decision(STATE).seats[0]  # type: ignore[union-attr]
ASK = Ask(SEAT, "nose", 1)


class Nose:
    """A brain that keeps what it is given and what it draws."""

    about, slow, blind = "keeps everything", False, False

    def __init__(self) -> None:
        """Begin with nothing."""
        self.given: list[tuple[Any, ...]] = []
        self.drawn: list[int] = []

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Any) -> Any:
        """Take the first legal action."""
        self.given.append((title, view, legal))
        self.drawn.append(draw.below(1 << 30, "sniff"))
        return legal[0]


class SlowNose(Nose):
    """The same, beside the event loop."""

    slow = True


async def _think(nose: Nose, game_id: str = "g1", ask: Ask = ASK, state: Any = STATE, secret: bytes = SECRET) -> Any:
    thinker = Thinker(secret, {TITLE.id: {"nose": nose}})
    try:
        return await thinker.choose(TITLE, game_id, ask, state)
    finally:
        thinker.close()


@pytest.mark.parametrize("make", [Nose, SlowNose])
async def test_a_brain_is_given_a_view(make: type[Nose]) -> None:
    """A brain gets the title, its seat's view and legal actions, and never a state."""
    nose = make()
    action = await _think(nose)
    assert nose.given == [(TITLE, TITLE.view(STATE, SEAT), TITLE.legal_actions(STATE, SEAT))]
    assert action == TITLE.legal_actions(STATE, SEAT)[0]


async def test_hidden_things_reach_no_brain() -> None:
    """Another deck, other hands: what is hidden from the seat may be anything and the brain is given the same."""
    nose = Nose()
    await _think(nose)
    for guess in "abc":
        other = TITLE.determinize(TITLE.view(STATE, SEAT), chance(guess))
        assert other != STATE
        await _think(nose, state=other)
    assert all(given == nose.given[0] for given in nose.given)
    assert len(set(nose.drawn)) == 1


async def test_chance_belongs_to_the_decision() -> None:
    """The same decision draws the same, in any process; another game, version, seat or secret draws differently."""
    nose = Nose()
    await _think(nose)
    await _think(nose)
    await _think(nose, game_id="g2")
    await _think(nose, ask=Ask(SEAT, "nose", 2))
    await _think(nose, secret=b"x" * 32)
    assert nose.drawn[0] == nose.drawn[1]
    assert len(set(nose.drawn)) == 4


async def test_an_unknown_brain_is_said_to_be_unknown() -> None:
    """A brain that this version lacks is no reason to play at random: a newer process may have it."""
    with pytest.raises(UnknownBrain, match="deep_thought"):
        await _think(Nose(), ask=Ask(SEAT, "deep_thought", 1))
