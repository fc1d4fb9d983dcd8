"""The game for one seat: stacks instead of hands, and a level instead of a rank (SW-14)."""

from __future__ import annotations

from services.strange_world.content import Pack
from services.strange_world.rules.events import StackPicked, StackRevealed, StacksLaid
from services.strange_world.rules.state import State

STACK = 3
UNDER_THE_OPEN_CARD = 2
DISPLAY = 3
LEVELS = ((0, "devoured"), (60, "expelled"), (70, "tolerated"), (75, "at_home"), (80, "master"))


def lay_stacks(deck: tuple[str, ...]) -> StacksLaid:
    """Lay the deck in stacks of three; their top cards are open (SW-14.1 to SW-14.3)."""
    return StacksLaid(deck[::STACK])


def remaining_stacks(state: State) -> tuple[int, ...]:
    """Return the numbers of the stacks that can be picked (SW-14.8)."""
    return tuple(number for number, stack in enumerate(state.stacks, start=1) if len(stack) == STACK)


def pick(state: State, number: int) -> StackPicked:
    """Take a stack; its open card is to be played first (SW-14.8, SW-14.9)."""
    return StackPicked(number, state.stacks[number - 1][0])


def reveal(pack: Pack, state: State) -> StackRevealed:
    """Reveal the two other cards of the stack in play (SW-14.10)."""
    for number, stack in enumerate(state.stacks, start=1):
        if len(stack) == UNDER_THE_OPEN_CARD:
            return StackRevealed(number, pack.in_order(stack))
    raise AssertionError("no stack is in play")


def level(total: int) -> int:
    """Return the level of a total, 1 to 5 (SW-14.14, table 4.8)."""
    return sum(1 for least, _ in LEVELS if total >= least)


def level_code(number: int) -> str:
    """Return the word for a level (table 4.8)."""
    return LEVELS[number - 1][1]
