"""What follows without being asked: the end of a turn, the next one, the end of the game (SW-3, SW-12, SW-16.3)."""

from __future__ import annotations

from services.strange_world.content import Pack
from services.strange_world.rules import solo
from services.strange_world.rules.drafting import deal
from services.strange_world.rules.events import (
    Event,
    GameEnded,
    SunPassed,
    TurnEnded,
    TurnStarted,
    WorldsScored,
)
from services.strange_world.rules.evolve import evolve
from services.strange_world.rules.phases import Continuing
from services.strange_world.rules.playing_order import PLAYS_PER_TURN
from services.strange_world.rules.scoring import score
from services.strange_world.rules.state import State

TURNS = 5


def completed(pack: Pack, state: State, events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the events of a play in `state` and all that follows from them within the same commit."""
    last = PLAYS_PER_TURN * state.seats
    if state.seats > 1 and len(state.played) < last - 1:
        return events
    for event in events:
        state = evolve(state, event)
    if not isinstance(state.phase, Continuing):
        return events
    if len(state.played) < last:
        return (*events, solo.reveal(pack, state))
    return events + (_next_turn(pack, state) if state.turn < TURNS else _end(pack, state))


def begin_turn(pack: Pack, deck: tuple[str, ...], seats: int, turn: int, holder: int | None) -> tuple[Event, ...]:
    """Begin a turn; two seats have no direction to choose and are dealt their cards at once (SW-3.2, SW-3.6)."""
    started = TurnStarted(turn, holder)
    return (started, deal(pack, deck, seats, holder)) if seats == 2 and holder is not None else (started,)


def _next_turn(pack: Pack, state: State) -> tuple[Event, ...]:
    """SW-3.3, SW-3.11: the Sun goes to the left, whatever the direction was."""
    ended: tuple[Event, ...] = (TurnEnded(state.turn),)
    holder = state.holder
    if holder is not None:
        holder = (holder + 1) % state.seats
        ended += (SunPassed((holder - 1) % state.seats, holder),)
    return ended + begin_turn(pack, state.deck, state.seats, state.turn + 1, holder)


def _end(pack: Pack, state: State) -> tuple[Event, ...]:
    """SW-12.1 to SW-12.6, SW-17.4: score, then rank; a tie shares the victory, solo has a level and no winner."""
    scores = tuple(score(pack, world, seat) for seat, world in enumerate(state.worlds))
    totals = [line.total for line in scores]
    ranks = tuple(1 + sum(1 for other in totals if other > total) for total in totals)
    winners = tuple(seat for seat, rank in enumerate(ranks) if rank == 1) if state.seats > 1 else ()
    level = solo.level(totals[0]) if state.seats == 1 else None
    return TurnEnded(state.turn), WorldsScored(scores), GameEnded(ranks, winners, level)
