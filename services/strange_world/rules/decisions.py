"""What a game waits for (SW-16.1, SW-16.4, table D)."""

from __future__ import annotations

from services.strange_world.rules.events import Passing
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    ChoosingDirection,
    Continuing,
    CoveringCard,
    GameOver,
    PassingLands,
    PickingStack,
    PlacingLand,
    WelcomingTraveller,
)
from services.strange_world.rules.state import State
from shared.kernel import Decision, unreachable


def decision(state: State) -> Decision | None:
    """Return who must answer what, None when the game is over.

    SW-15.13: the options of passes and of placing a Land are for the deciding seat only, all others are open, and in
    solo everything is.
    """
    match state.phase:
        case PlacingLand(seat):
            return Decision("place_land", (seat,), open=state.seats == 1)
        case PassingLands(passing, chosen):
            kind = "pass_two" if passing is Passing.TWO else "pass_one"
            return Decision(kind, tuple(seat for seat, lands in enumerate(chosen) if not lands))
        case CoveringCard(seat):
            return Decision("cover_card", (seat,), open=True)
        case WelcomingTraveller(seat):
            return Decision("welcome_traveller", (seat,), open=True)
        case ChoosingCityPartner(seat):
            return Decision("choose_city_partner", (seat,), open=True)
        case ChoosingDirection(seat):
            return Decision("choose_direction", (seat,), open=True)
        case PickingStack():
            return Decision("pick_stack", (0,), open=True)
        case Continuing() | GameOver():
            return None
        case _:
            unreachable(state.phase)
