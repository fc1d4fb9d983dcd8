"""What the platform's own facts are called in plain words, the same for every title."""

from __future__ import annotations

from collections.abc import Sequence

from shared.engine.platform import (
    Automaton,
    GameAborted,
    GameCreated,
    PlatformEvent,
    SeatReplaced,
    SeedRevealed,
    Undone,
)
from shared.kernel import unreachable


def tell(fact: PlatformEvent, names: Sequence[str]) -> str:
    """Return a clause for a fact of the platform."""
    match fact:
        case GameCreated():
            return f"the game begins with {', '.join(names)} (commitment {fact.commitment.hex()[:16]}…)"
        case SeatReplaced(seat):
            holder = seat.holder
            who = holder.brain if isinstance(holder, Automaton) else holder.display_name
            return f"{who} takes over the seat of {names[seat.seat]}"
        case Undone(to):
            return f"the game goes back to version {to}"
        case SeedRevealed(server_seed):
            return f"the server seed is revealed: {server_seed.hex()[:16]}…"
        case GameAborted(reason):
            return f"the game is ended without a result: {reason}"
        case _:
            unreachable(fact)
