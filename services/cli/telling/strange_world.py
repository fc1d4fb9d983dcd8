"""What happens in Strange World Above the Clouds, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from services.strange_world.content import Icon, Land, shipped
from services.strange_world.rules.actions import (
    Action,
    Cell,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    Side,
    WelcomeTraveller,
)
from services.strange_world.rules.events import (
    DarkCityBuilt,
    DeckShuffled,
    DirectionChosen,
    Event,
    Flip,
    FumarolePlaced,
    GameBegun,
    GameEnded,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassChosen,
    PassesResolved,
    Passing,
    PortalAssembled,
    StackPicked,
    StackRevealed,
    StacksLaid,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellerDeclined,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnEnded,
    TurnStarted,
    WorldsScored,
)
from shared.kernel import unreachable

_NAMES = {
    Icon.MOUNTAIN: "Mountain",
    Icon.WATER: "Water",
    Icon.FOREST: "Forest",
    Icon.PLANT: "Plant",
    Icon.VOLCANO: "Volcano",
}


def tell(event: Event, names: Sequence[str]) -> str:  # noqa: C901 - one case for each kind of event
    """Return a clause for an event, "" where the line of its commit needs none."""
    match event:
        case GameBegun(seats, pack):
            return f"{seats} {'World' if seats == 1 else 'Worlds'} will grow from the pack {pack.id}"
        case StartingLandsDealt(lands):
            return "starting Lands: " + ", ".join(f"{names[seat]} {land_name(land)}" for seat, land in enumerate(lands))
        case DeckShuffled(count):
            return f"{count} Lands are shuffled"
        case SunAssigned(seat):
            return f"{names[seat]} is the first to hold the Sun"
        case TravellersDisplayed(travellers):
            return f"{len(travellers)} Travellers wait"
        case StacksLaid(lands):
            return f"{len(lands)} stacks are laid"
        case TurnStarted(turn, holder):
            return f"turn {turn} begins" if holder is None else f"turn {turn} begins, {names[holder]} holds the Sun"
        case DirectionChosen(seat, direction):
            return f"{names[seat]} chooses the direction {direction.value}"
        case LandsDealt(hands, deck):
            return f"{sum(hand.count for hand in hands)} Lands are dealt, {deck} are left"
        case PassChosen(seat, passing, _, lands):
            shown = f": {', '.join(map(land_name, lands))}" if lands else ""
            return f"{names[seat]} has chosen {'two Lands' if passing is Passing.TWO else 'one Land'} to give{shown}"
        case PassesResolved():
            return "the chosen Lands change hands"
        case StackPicked(stack, land):
            return f"{names[0]} picks stack {stack} with {land_name(land)}"
        case StackRevealed(_, lands):
            return f"under it lie {' and '.join(map(land_name, lands))}"
        case LandPlaced(seat, land, cell):
            return f"{names[seat]} places {land_name(land)} at {cell_name(cell)}"
        case LandsDesolated(_, flips):
            return "Tzimimes take " + " and ".join(map(_flip, flips))
        case PortalAssembled(_, left, right):
            return f"a Portal opens between {cell_name(left)} and {cell_name(right)}"
        case TravellerWelcomed(seat, traveller, side, slot):
            return f"{names[seat]} welcomes {_guest(traveller, side, slot)}"
        case TravellerDeclined(seat):
            return f"{names[seat]} takes no Traveller"
        case FumarolePlaced(_, source, cell, land, tzimime):
            buried = "a Tzimime" if tzimime else land_name(land)
            return f"the Volcano at {cell_name(source)} covers {buried} at {cell_name(cell)}"
        case DarkCityBuilt(_, value, cell, partner):
            return f"a Dark City worth {value} joins {cell_name(partner)} and {cell_name(cell)}"
        case TurnEnded(turn):
            return f"turn {turn} ends"
        case SunPassed(_, receiver):
            return f"the Sun goes to {names[receiver]}"
        case WorldsScored(scores):
            return "Stars: " + ", ".join(f"{names[score.seat]} {score.total}" for score in scores)
        case GameEnded(_, winners, level):
            won = f"{' and '.join(names[seat] for seat in winners)} {'wins' if len(winners) == 1 else 'win'}"
            return f"level {level} of 5 is reached" if level else won
        case _:
            unreachable(event)


def offer(action: Action) -> str:
    """Say what an action would do."""
    match action:
        case ChooseDirection(direction):
            return f"choose the direction {direction.value}"
        case PassTwo(lands):
            return f"give {' and '.join(map(land_name, lands))} ({', '.join(lands)})"
        case PassOne(land):
            return f"give {land_name(land)} ({land})"
        case PickStack(stack):
            return f"pick stack {stack}"
        case PlaceLand(land, cell):
            return f"place {land_name(land)} ({land}) at {cell_name(cell)}"
        case WelcomeTraveller(traveller, side, slot):
            return f"welcome {_guest(traveller, side, slot)}"
        case DeclineTraveller():
            return "take no Traveller"
        case CoverCard(cell):
            return f"cover {cell_name(cell)} with the Fumarole"
        case ChooseCityPartner(cell):
            return f"join the Fumarole at {cell_name(cell)} to the City"
        case _:
            unreachable(action)


def is_chapter(event: Event) -> bool:
    """A turn is a chapter."""
    return isinstance(event, TurnEnded)


def cell_name(cell: Cell) -> str:
    """Return a cell by its coordinates, as boards number columns and rows."""
    return f"({cell.x}, {cell.y})"


def land_name(land_id: str) -> str:
    """Return what a Land shows, in words."""
    land = _lands().get(land_id)
    if land is None:
        return land_id
    if land.moon:
        return "a moon"
    counts = {icon: land.icons.count(icon) for icon in land.kinds}
    parts = [f"{count} {_NAMES[icon]}s" if count > 1 else _NAMES[icon] for icon, count in counts.items()]
    animals = f" ({', '.join(land.animals)})" if land.animals else ""
    gate = " with a gate" if land.gate else ""
    return f"{'-'.join(parts)}{animals}{gate}"


@cache
def _lands() -> dict[str, Land]:
    """Ids differ between packs, so one dictionary serves them all."""
    return {land_id: land for pack in shipped() for land_id, land in pack.lands.items()}


def _guest(traveller: str, side: Side, slot: int) -> str:
    return f"{traveller.capitalize()} on the {side.value}, beside rows {slot} and {slot + 1}"


def _flip(flip: Flip) -> str:
    causes = " and ".join(cause.value.replace("_", " ") for cause in flip.causes)
    return f"{cell_name(flip.cell)} ({causes})"
