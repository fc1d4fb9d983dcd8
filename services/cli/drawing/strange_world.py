"""How Strange World Above the Clouds looks in a terminal: a frame for each World, below them what all share.

Cells are drawn as in docs/rules/strange-world.md (6.1): icon letters M W F P V with the letter of each Forest's animal,
gates in brackets, `=` towards the other half of a Portal, `O` a moon, `T` a Tzimime, `*` and `@` a free and a used
Fumarole. Columns and rows bear the coordinates that actions use. A Traveller stands beside its two rows with the first
letters of its name. A frame is 37 columns wide.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services.strange_world.content import Icon, Land, Pack, find
from services.strange_world.rules.actions import Cell, Direction, Side
from services.strange_world.rules.state import PlacedTraveller
from services.strange_world.rules.views import Face, PlacedLand, View, WorldView

STYLES = {
    Icon.MOUNTAIN: "bold white",
    Icon.WATER: "bold bright_blue",
    Icon.FOREST: "bold green",
    Icon.PLANT: "bold bright_magenta",
    Icon.VOLCANO: "bold bright_red",
}
MOON, TZIMIME, FUMAROLE, CITY, GATE, TRAVELLER = "bold yellow", "dim", "red", "bold red", "cyan", "bright_cyan"
FRAME_WIDTH = 37
PLAYS = 15
_CELL_WIDTH = 5
_GUEST_WIDTH = 4
_SHEET = {"Mt": "mountain", "Wa": "water", "Pl": "plant", "Fo": "forest", "Mo": "moon", "Ci": "city", "Tr": "traveller"}


def board(view: View, names: Sequence[str]) -> RenderableType:
    """Return all Worlds, side by side as far as they fit, and what the seats share."""
    pack = find(view.pack)
    frames = [_frame(pack, view, seat, names[seat]) for seat in range(len(view.worlds))]
    return Group(Columns(frames, padding=(0, 1)), *_shared(pack, view, names))


def progress(view: View) -> tuple[int, int]:
    """Return the number of Lands played, and how many there will be."""
    seats = len(view.worlds)
    return sum(len(world.cards) for world in view.worlds) - seats, PLAYS * seats


def token(pack: Pack, land: Land, link: str = "") -> Text:
    """Return a face-up Land as its token; `link` says where the other half of its Portal lies ("left", "right")."""
    if land.moon:
        return Text("O", style=MOON)
    text, animals = Text(), iter(land.animals)
    for icon in land.icons:
        text.append(icon.value, style=STYLES[icon])
        if icon is Icon.FOREST:
            text.append(pack.animals[next(animals)], style="green")
    if not land.gate:
        return text
    left, right = ("=" if link == "left" else "("), ("=" if link == "right" else ")")
    return Text.assemble((left, GATE), text, (right, GATE))


def _frame(pack: Pack, view: View, seat: int, name: str) -> Panel:
    world = view.worlds[seat]
    waited_for = view.pending is not None and seat in view.pending.seats
    sun = " ☀" if view.holder == seat else ""
    title = Text(f"{seat} {name}{sun} · {world.score.total}", style="bold" if waited_for else "")
    sheet = " ".join(f"{short}{getattr(world.score, category)}" for short, category in _SHEET.items())
    inside = Group(_grid(pack, world), *_notes(world), Text(sheet, style="dim"))
    return Panel(inside, title=title, width=FRAME_WIDTH, border_style="bright_white" if waited_for else "dim")


def _grid(pack: Pack, world: WorldView) -> Table:
    """Return the cells of the box, with Travellers beside their rows."""
    cards = {card.cell: card for card in world.cards}
    columns = sorted({cell.x for cell in cards})
    rows = _rows(world)
    grid = Table.grid(padding=(0, 0))
    left, right = world.side is Side.LEFT, world.side is Side.RIGHT
    # Slots of one parity never share a row, so two columns of Travellers are enough.
    parities = sorted({guest.slot % 2 for guest in world.travellers})
    outer = [_GUEST_WIDTH] * len(parities)
    widths = [*(outer if left else []), 3, *([_CELL_WIDTH] * len(columns)), *(outer if right else [])]
    for width in widths:
        grid.add_column(width=width, no_wrap=True)
    numbers = [Text(f"{x:>2}", style="dim") for x in columns]
    grid.add_row(*([""] * len(outer) if left else []), "", *numbers)
    for y in rows:
        guests = [_guest(world, y, parity) for parity in parities]
        cells = [_cell(pack, world, cards.get(Cell(x, y))) for x in columns]
        label = Text(f"{y:>2} ", style="dim")
        grid.add_row(*(guests if left else []), label, *cells, *(guests if right else []))
    return grid


def _rows(world: WorldView) -> range:
    """Return the rows of the box and those that a Traveller hangs over."""
    rows = [card.cell.y for card in world.cards]
    for guest in world.travellers:
        rows += [guest.slot, guest.slot + 1]
    return range(min(rows), max(rows) + 1)


def _cell(pack: Pack, world: WorldView, card: PlacedLand | None) -> Text:
    if card is None:
        return Text("·", style="dim")
    match card.face:
        case Face.TZIMIME:
            return Text("T", style=TZIMIME)
        case Face.FUMAROLE:
            used = any(card.cell in (city.cell, city.partner) for city in world.cities)
            return Text("@", style=CITY) if used else Text("*", style=FUMAROLE)
        case Face.LAND:
            return token(pack, pack.lands[card.land], _link(world, card.cell))


def _link(world: WorldView, cell: Cell) -> str:
    for portal in world.portals:
        if cell == portal.left:
            return "right"
        if cell == portal.right:
            return "left"
    return ""


def _guest(world: WorldView, y: int, parity: int) -> Text:
    """Return what stands beside row y at slots of one parity: the first Traveller above, one stacked on it below."""
    upper = y % 2 == parity
    here = [guest for guest in world.travellers if guest.slot == (y if upper else y - 1)]
    if not here:
        return Text()
    shown = here[:1] if upper else here[1:2]
    name = shown[0].traveller[:2] if shown else "  "
    if world.side is Side.RIGHT:
        return Text(f" {'╮' if upper else '╯'}{name}", style=TRAVELLER)
    return Text(f"{name}{'╭' if upper else '╰'} ", style=TRAVELLER)


def _notes(world: WorldView) -> list[Text]:
    """Return a line for Travellers and one for Cities, as far as there are any."""
    notes = []
    if world.travellers:
        told = ", ".join(_told(guest) for guest in world.travellers)
        notes.append(Text(told, style=TRAVELLER))
    if world.cities:
        notes.append(Text("Cities " + " ".join(str(city.value) for city in world.cities), style=CITY))
    return notes


def _told(guest: PlacedTraveller) -> str:
    stacked = f" #{guest.position}" if guest.position > 1 else ""
    return f"{guest.traveller} {guest.slot}|{guest.slot + 1}{stacked}"


def _shared(pack: Pack, view: View, names: Sequence[str]) -> list[Text]:
    """Return what all seats share, and what the reader holds."""
    direction = {None: "", Direction.LEFT: " to the left", Direction.RIGHT: " to the right"}[view.direction]
    sun = "" if view.holder is None else f" · Sun: {names[view.holder]}{direction}"
    cities = " ".join(map(str, view.cities)) or "none"
    lines = [
        Text(f"turn {view.turn} of 5{sun} · deck {view.deck}"),
        Text(f"supply: Cities {cities} · {view.fumaroles} Fumaroles"),
        Text("display: " + (" ".join(view.display) or "empty"), style=TRAVELLER),
    ]
    if view.stacks:
        opened = [Text.assemble(f"{stack.number} ", _known(pack, stack.open)) for stack in view.stacks]
        lines.append(Text.assemble("stacks: ", Text("  ").join(opened)))
    if view.hand:
        lines.append(Text.assemble("hand: ", Text("  ").join(token(pack, pack.lands[land]) for land in view.hand)))
    return lines


def _known(pack: Pack, land: str | None) -> Text:
    return Text("–", style="dim") if land is None else token(pack, pack.lands[land])
