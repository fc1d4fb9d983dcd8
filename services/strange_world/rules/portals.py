"""When two gates become a Portal (SW-8)."""

from __future__ import annotations

from services.strange_world.content import Pack
from services.strange_world.rules.board import CELLS
from services.strange_world.rules.state import Portal, World


def gates_beside(pack: Pack, world: World, place: int) -> tuple[int, ...]:
    """Return the places of the face-up gates at the left and at the right of a place (SW-8.1)."""
    up = world.face_up
    return tuple(
        beside
        for beside in (place - 1, place + 1)
        if beside >= 0 and up >> beside & 1 and pack.lands[world.lands[beside]].gate
    )


def portal_at(pack: Pack, world: World, place: int) -> Portal | None:
    """Return the Portal that a gate placed at `place`, still face up, makes: with its only partner (SW-8.5, SW-8.6)."""
    beside = gates_beside(pack, world, place)
    if len(beside) != 1:
        return None
    left, right = sorted((place, beside[0]))
    return Portal(CELLS[left], CELLS[right])
