"""The invariants of Strange World Above the Clouds (chapter 5 of its page) over random legal play.

Written from the page alone: Worlds are rebuilt here from the events, cell by cell, so that nothing is taken from the
engine's own picture of them but what a test compares with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, state
from services.strange_world.rules.actions import Cell, Direction, PickStack, PlaceLand, Side
from services.strange_world.rules.board import CELLS, PLACES, place_of
from services.strange_world.rules.events import (
    Cause,
    DarkCityBuilt,
    DeckShuffled,
    FumarolePlaced,
    GameBegun,
    GameEnded,
    LandPlaced,
    LandsDealt,
    LandsDesolated,
    PassesResolved,
    PortalAssembled,
    StackPicked,
    StackRevealed,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
    TravellerWelcomed,
    TurnStarted,
    WorldsScored,
)
from services.strange_world.rules.scoring import score
from shared.rng import KeyedDraw
from tests.laws.playing import Step, play, variants

FUMAROLES = 11
CITIES = (9, 7, 5, 4, 4)
Card = Any


class Placed(msgspec.Struct):
    """One cell of a World: the Land on it, and whether it lies face up, face down, or is covered."""

    land: str
    face: str = "up"


class World(msgspec.Struct):
    """A World as the events tell it."""

    cells: dict[Cell, Placed] = {}
    portals: list[tuple[Cell, Cell]] = []
    travellers: list[TravellerWelcomed] = []
    cities: list[DarkCityBuilt] = []
    plays: int = 0
    eruptions: int = 0

    def rows(self) -> tuple[int, int]:
        """Return the top and bottom row of the box."""
        ys = [cell.y for cell in self.cells]
        return min(ys), max(ys)

    def columns(self) -> tuple[int, int]:
        """Return the left and right column of the box."""
        xs = [cell.x for cell in self.cells]
        return min(xs), max(xs)


class Table(msgspec.Struct):
    """A whole game as the events tell it, up to and with `step`; `settled` when no play is in progress."""

    pack: Any
    worlds: list[World]
    hands: list[list[str]]
    deck: list[str] = []
    stacks: list[list[str]] = []
    out: list[str] = []
    step: Any = None
    holder: int | None = None
    turn: int = 0
    first: int = 0

    @property
    def settled(self) -> bool:
        """Say whether no play is in progress."""
        decision = TITLE.decision(self.step.after)
        return decision is None or decision.kind not in ("welcome_traveller", "cover_card", "choose_city_partner")


def neighbours(cell: Cell) -> list[Cell]:
    """Return the four neighbours of a cell."""
    x, y = cell.x, cell.y
    return [Cell(x - 1, y), Cell(x + 1, y), Cell(x, y - 1), Cell(x, y + 1)]


def follow(table: Table, event: Any) -> None:
    """Do to the table what an event says."""
    match event:
        case StartingLandsDealt(lands, unused):
            table.worlds = [World(cells={Cell(0, 0): Placed(land)}) for land in lands]
            table.hands = [[] for _ in lands]
            table.out = list(unused)
        case DeckShuffled(_, order):
            table.deck = list(order)
            if len(table.worlds) == 1:
                table.stacks = [table.deck[i : i + 3] for i in range(0, 21, 3)]
                table.deck = []
        case SunAssigned(seat):
            table.first = seat
        case TurnStarted(turn, holder):
            table.turn, table.holder = turn, holder
        case _:
            follow_cards(table, event)


def follow_cards(table: Table, event: Any) -> None:
    """Do to hands and deck what an event of a deal, a pass or a solo stack says."""
    match event:
        case LandsDealt(hands, _):
            seats = len(table.hands)
            for hand in sorted(hands, key=lambda hand: (hand.seat - (table.holder or 0)) % seats):
                assert sorted(table.deck[:3]) == sorted(hand.lands)
                table.hands[hand.seat] = list(hand.lands)
                del table.deck[:3]
        case PassesResolved(_, transfers):
            for transfer in transfers:
                for land in transfer.lands:
                    table.hands[transfer.giver].remove(land)
            for transfer in transfers:
                table.hands[transfer.receiver] += transfer.lands
        case StackPicked(stack, land):
            table.hands[0].append(land)
            table.stacks[stack - 1].remove(land)
        case StackRevealed(stack, lands):
            table.hands[0] += lands
            assert sorted(table.stacks[stack - 1]) == sorted(lands)
            table.stacks[stack - 1] = []
        case _:
            follow_play(table, event)


def follow_play(table: Table, event: Any) -> None:
    """Do to a World what an event of a play says."""
    match event:
        case LandPlaced(seat, land, cell):
            table.hands[seat].remove(land)
            assert cell not in table.worlds[seat].cells
            table.worlds[seat].cells[cell] = Placed(land)
            table.worlds[seat].plays += 1
        case LandsDesolated(seat, flips):
            for flip in flips:
                table.worlds[seat].cells[flip.cell].face = "tzimime"
        case PortalAssembled(seat, left, right):
            table.worlds[seat].portals.append((left, right))
        case TravellerWelcomed():
            table.worlds[event.seat].travellers.append(event)
        case FumarolePlaced(seat, _, cell, land, tzimime):
            placed = table.worlds[seat].cells[cell]
            assert (placed.land, placed.face) == (land, "tzimime" if tzimime else "up")
            placed.face = "fumarole"
            table.worlds[seat].eruptions += 1
        case DarkCityBuilt():
            table.worlds[event.seat].cities.append(event)
        case _:
            pass


def tables() -> Iterator[Table]:
    """Return every position of every random game, with the game as its events tell it so far."""
    for variant, game in variants(TITLE):
        table = Table(newest(variant.options["pack"]), [], [])
        for step in play(TITLE, variant, game):
            table.step = step
            for event in step.events:
                follow(table, event)
            yield table


def card(table: Table, land: str) -> Card:
    """Return what a Land shows."""
    return table.pack.lands[land]


def up(table: Table, world: World) -> dict[Cell, Card]:
    """Return the face-up Lands of a World."""
    return {cell: card(table, placed.land) for cell, placed in world.cells.items() if placed.face == "up"}


def faces(world: World, face: str) -> list[Cell]:
    """Return the cells that lie like this."""
    return [cell for cell, placed in world.cells.items() if placed.face == face]


@pytest.mark.rule("INV-01", "INV-02", "INV-03")
def test_worlds_are_connected_and_small() -> None:
    """Occupied cells hang together, in a box of at most 4 by 4; 1 + plays of them, 16 in a square at the end."""
    for table in tables():
        for world in table.worlds:
            reached, border = {Cell(0, 0)}, [Cell(0, 0)]
            while border:
                for cell in neighbours(border.pop()):
                    if cell in world.cells and cell not in reached:
                        reached.add(cell)
                        border.append(cell)
            assert reached == set(world.cells)
            (top, bottom), (left, right) = world.rows(), world.columns()
            assert max(bottom - top, right - left) <= 3
            assert len(world.cells) == 1 + world.plays
            if TITLE.decision(table.step.after) is None:
                assert (len(world.cells), bottom - top, right - left) == (16, 3, 3)


@pytest.mark.rule("INV-04", "SW-5.12")
def test_there_is_always_a_place() -> None:
    """Whoever plays has a legal cell for every card of the hand, with either value of strict_volcano."""
    for table in tables():
        decision = TITLE.decision(table.step.after)
        if decision is None or decision.kind != "place_land":
            continue
        (seat,) = decision.seats
        actions = TITLE.legal_actions(table.step.after, seat)
        placeable = {action.land for action in actions if isinstance(action, PlaceLand)}
        assert placeable == set(table.hands[seat])


@pytest.mark.rule("INV-05", "INV-17", "SW-9.8")
def test_a_frozen_side_stays_where_it_is() -> None:
    """From the first Traveller on the frozen edge is the box's edge, and all Travellers of a World share the side."""
    edges: dict[tuple[int, int], int] = {}
    game = 0
    for table in tables():
        game += table.step.before is None
        for seat, world in enumerate(table.worlds):
            if not world.travellers:
                continue
            side = world.travellers[0].side
            assert {traveller.side for traveller in world.travellers} == {side}
            edge = world.columns()[0 if side is Side.LEFT else 1]
            assert edges.setdefault((game, seat), edge) == edge


@pytest.mark.rule("INV-06", "INV-07")
def test_waters_and_plants_keep_apart() -> None:
    """No two neighbouring face-up Waters; no row with two face-up Plants."""
    for table in tables():
        for world in table.worlds:
            shown = up(table, world)
            for cell, land in shown.items():
                if land.waters:
                    assert not any(shown[other].waters for other in neighbours(cell) if other in shown)
            rows = Counter(cell.y for cell, land in shown.items() if land.plants)
            assert all(count == 1 for count in rows.values())


@pytest.mark.rule("INV-08", "SW-7.18")
def test_moons_lie_on_top() -> None:
    """Settled: every face-up moon is in the top row."""
    for table in tables():
        if table.settled:
            for world in table.worlds:
                assert all(cell.y == world.rows()[0] for cell, land in up(table, world).items() if land.moon)


@pytest.mark.rule("INV-09", "INV-26", "SW-7.13")
def test_cards_only_go_one_way() -> None:
    """A cell goes from face-up to Tzimime to Fumarole, never back, and a Fumarole never lies on a Fumarole."""
    order = {"up": 0, "tzimime": 1, "fumarole": 2}
    before: dict[tuple[int, Cell], Placed] = {}
    for table in tables():
        if table.step.before is None:
            before = {}
        for seat, world in enumerate(table.worlds):
            for cell, placed in world.cells.items():
                old = before.get((seat, cell))
                assert old is None or (old.land == placed.land and order[old.face] <= order[placed.face])
                before[seat, cell] = Placed(placed.land, placed.face)


@pytest.mark.rule("INV-10", "INV-11", "INV-12", "SW-7.16", "SW-6.11")
def test_flips_have_causes() -> None:
    """Each flip has a cause; all but moon_buried belong to the placed cell; a flipped card does no more."""
    for table in tables():
        events = table.step.events
        placed = [event for event in events if isinstance(event, LandPlaced)]
        flips = [event for event in events if isinstance(event, LandsDesolated)]
        assert len(flips) <= len(placed) <= 1
        for flip in (flip for event in flips for flip in event.flips):
            assert flip.causes == tuple(sorted(flip.causes, key=list(Cause).index))
            assert flip.causes
            if flip.cell == placed[0].cell:
                assert not any(isinstance(event, PortalAssembled | FumarolePlaced) for event in events)
            else:
                assert flip.causes == (Cause.MOON_BURIED,)
        for world in table.worlds:
            assert world.cells[Cell(0, 0)].face in ("up", "fumarole")


@pytest.mark.rule("INV-13", "INV-14", "INV-15", "SW-8.8")
def test_portals_join_neighbouring_gates() -> None:
    """Halves are left-right neighbours and gates, each of one Portal; settled neighbouring gates are a Portal."""
    for table in tables():
        for world in table.worlds:
            halves = [half for portal in world.portals for half in portal]
            assert len(halves) == len(set(halves))
            for left, right in world.portals:
                assert (right.x - left.x, right.y - left.y) == (1, 0)
                assert all(card(table, world.cells[half].land).gate for half in (left, right))
                assert all(world.cells[half].face in ("up", "fumarole") for half in (left, right))
            shown = up(table, world)
            for cell, land in shown.items():
                beside = Cell(cell.x + 1, cell.y)
                if table.settled and land.gate and beside in shown and shown[beside].gate:
                    assert (cell, beside) in world.portals


@pytest.mark.rule("INV-16", "INV-19", "SW-9.4")
def test_travellers_come_through_portals() -> None:
    """At most one for each Portal, in a slot that holds its row; each is in one place."""
    for table in tables():
        homes = [traveller.traveller for world in table.worlds for traveller in world.travellers]
        assert len(homes) == len(set(homes))
        view = TITLE.view(table.step.after, None)
        assert Counter([*homes, *view.display, *view.unused_travellers]) == Counter(
            traveller.id for traveller in table.pack.travellers
        )
        for world in table.worlds:
            assert len(world.travellers) <= len(world.portals)
            for number, traveller in enumerate(world.travellers):
                assert (traveller.left, traveller.right) in world.portals
                assert traveller.left.y in (traveller.slot, traveller.slot + 1)
                earlier = [other.slot for other in world.travellers[:number]]
                assert traveller.position == 1 + earlier.count(traveller.slot)


@pytest.mark.rule("INV-18")
def test_a_slot_is_shared_only_when_it_must_be() -> None:
    """When a Traveller is stacked, every legal slot beside its Portal held a Traveller before."""
    for table in tables():
        for event in table.step.events:
            if isinstance(event, TravellerWelcomed) and event.position > 1:
                world = table.worlds[event.seat]
                top, bottom = world.rows()
                row = event.left.y
                legal = [u for u in (row - 1, row) if max(bottom, u + 1) - min(top, u) <= 3]
                taken = {traveller.slot for traveller in world.travellers if traveller is not event}
                assert set(legal) <= taken


@pytest.mark.rule("INV-20", "INV-21", "INV-22")
def test_fumaroles_are_eruptions() -> None:
    """Fumaroles of a World are its eruptions; face-up Volcanoes match neighbouring Fumaroles one to one; 11 in all."""
    for table in tables():
        lying = sum(len(faces(world, "fumarole")) for world in table.worlds)
        assert lying + TITLE.view(table.step.after, None).fumaroles == FUMAROLES
        if not table.settled:
            continue
        for world in table.worlds:
            assert len(faces(world, "fumarole")) == world.eruptions
            volcanoes = [cell for cell, land in up(table, world).items() if land.volcanoes]
            assert can_match(volcanoes, set(faces(world, "fumarole")))


def can_match(volcanoes: list[Cell], fumaroles: set[Cell]) -> bool:
    """Say whether each Volcano can have a neighbouring Fumarole of its own (augmenting paths)."""
    owner: dict[Cell, Cell] = {}

    def find(volcano: Cell, tried: set[Cell]) -> bool:
        for cell in neighbours(volcano):
            if cell in fumaroles and cell not in tried:
                tried.add(cell)
                if cell not in owner or find(owner[cell], tried):
                    owner[cell] = volcano
                    return True
        return False

    return all(find(volcano, set()) for volcano in volcanoes)


@pytest.mark.rule("INV-20")
def test_fumaroles_are_volcanoes_that_were_face_up() -> None:
    """Settled: eruptions = Volcano Lands that lie face up + those that were covered while face up."""
    covered: dict[int, int] = {}
    for table in tables():
        if table.step.before is None:
            covered = {}
        for event in table.step.events:
            if isinstance(event, FumarolePlaced) and not event.tzimime and card(table, event.land).volcanoes:
                covered[event.seat] = covered.get(event.seat, 0) + 1
        if table.settled:
            for seat, world in enumerate(table.worlds):
                shown = sum(1 for land in up(table, world).values() if land.volcanoes)
                assert world.eruptions == shown + covered.get(seat, 0)


@pytest.mark.rule("INV-23", "INV-24", "INV-25", "SW-11.2", "SW-11.5")
def test_cities_join_free_fumaroles() -> None:
    """Neighbouring Fumaroles, each in one City; values in the order 9, 7, 5, 4, 4; no two free neighbours are left."""
    built: list[int] = []
    for table in tables():
        if table.step.before is None:
            built = []
        built += [event.value for event in table.step.events if isinstance(event, DarkCityBuilt)]
        left = TITLE.view(table.step.after, None).cities
        assert (*built, *left) == CITIES
        for world in table.worlds:
            used = [cell for city in world.cities for cell in (city.cell, city.partner)]
            assert len(used) == len(set(used))
            for city in world.cities:
                assert city.partner in neighbours(city.cell)
            assert all(world.cells[cell].face == "fumarole" for cell in used)
            free = [cell for cell in faces(world, "fumarole") if cell not in used]
            if table.settled and left:
                assert not any(other in free for cell in free for other in neighbours(cell))


@pytest.mark.rule("INV-27", "SW-1.8")
def test_every_card_is_in_one_place() -> None:
    """Deck or stacks, hands, Worlds and the box hold each Land of the game exactly once."""
    for table in tables():
        everywhere = [*table.deck, *table.out, *(land for stack in table.stacks for land in stack)]
        everywhere += [land for hand in table.hands for land in hand]
        everywhere += [placed.land for world in table.worlds for placed in world.cells.values()]
        seats = len(table.worlds)
        lands = [land.id for land in table.pack.lands.values() if land.mark is None or land.mark <= seats]
        assert sorted(everywhere) == sorted(lands)
        view = TITLE.view(table.step.after, None)
        assert view.deck == len(table.deck)
        assert view.hands == tuple(map(len, table.hands))


@pytest.mark.rule("INV-28", "INV-29", "INV-30", "SW-3.3", "SW-3.8")
def test_turns_and_laps() -> None:
    """Three cards during passes, 4 - k in lap k; the holder goes round to the left, play order by the direction."""
    for table in tables():
        decision = TITLE.decision(table.step.after)
        seats = len(table.worlds)
        if decision is None or seats == 1:
            continue
        assert table.holder == (table.first + table.turn - 1) % seats
        if decision.kind in ("pass_two", "pass_one"):
            assert {len(hand) for hand in table.hands} == {3}
        if decision.kind == "place_land":
            (seat,) = decision.seats
            direction = TITLE.view(table.step.after, None).direction
            step = 1 if direction is Direction.LEFT else -1
            plays = [world.plays - 3 * (table.turn - 1) for world in table.worlds]
            done = sum(plays)
            assert seat == (table.holder + step * done) % seats
            assert len(table.hands[seat]) == 3 - done // seats
            assert max(plays) - min(plays) <= 1
            assert all(len(hand) == 3 - count for hand, count in zip(table.hands, plays, strict=True))


@pytest.mark.rule("INV-32", "SW-16.7", "SW-12.1")
def test_how_many_answers_a_game_asks_for() -> None:
    """20, 50, 80 and 105 answers without the three kinds of a play in progress; 15 plays for each seat."""
    sometimes = {"WelcomeTraveller", "DeclineTraveller", "CoverCard", "ChooseCityPartner"}
    for variant, game in variants(TITLE):
        kinds = Counter(type(step.action).__name__ for step in play(TITLE, variant, game) if step.action is not None)
        always = sum(count for kind, count in kinds.items() if kind not in sometimes)
        assert always == {1: 20, 2: 50, 3: 80, 4: 105}[variant.seats]
        assert kinds["PlaceLand"] == 15 * variant.seats


@pytest.mark.rule("INV-31", "SW-16.3")
def test_choices_are_choices() -> None:
    """CoverCard and ChooseCityPartner are asked with two options at least; a forced event had exactly one."""
    for table in tables():
        decision = TITLE.decision(table.step.after)
        if decision is not None and decision.kind in ("cover_card", "choose_city_partner"):
            assert len(TITLE.legal_actions(table.step.after, decision.seats[0])) >= 2


@cache
def finished() -> tuple[tuple[Step, Table], ...]:
    """Return the last position of every random game."""
    return tuple((table.step, table) for table in tables() if TITLE.decision(table.step.after) is None)


@pytest.mark.rule("INV-33", "INV-35", "SW-13.19")
def test_scores_add_up() -> None:
    """The total is the sum of seven categories within their bounds; the final score is the view's current score."""
    for step, table in finished():
        (scored,) = [event for event in step.events if isinstance(event, WorldsScored)]
        for line, world, shown in zip(scored.scores, table.worlds, TITLE.view(step.after, None).worlds, strict=True):
            assert shown.score == line
            lines = (line.mountain, line.water, line.plant, line.forest, line.moon, line.city, line.traveller)
            assert line.total == sum(lines)
            assert min(lines) >= 0
            assert line.moon % 2 == line.forest % 2 == 0
            assert line.plant in (0, 3, 6, 9, 12)
            assert line.city == sum(city.value for city in world.cities) <= 29
            bonuses = {traveller.id: traveller.bonus for traveller in table.pack.travellers}
            extra = line.traveller - 5 * len(world.travellers)
            possible = {0}
            for traveller in world.travellers:
                possible |= {bonus + bonuses[traveller.traveller] for bonus in possible}
            assert extra in possible


@pytest.mark.rule("SW-13.3", "SW-13.4", "SW-13.5", "SW-13.6", "SW-13.8", "SW-13.12")
def test_scores_are_what_the_page_says() -> None:
    """Six categories, counted here once more from the cards as the page's chapter 13 says."""
    for step, table in finished():
        (scored,) = [event for event in step.events if isinstance(event, WorldsScored)]
        for line, world in zip(scored.scores, table.worlds, strict=True):
            shown = up(table, world)
            assert line.mountain == biggest_range(shown)
            counting = {*shown, *faces(world, "fumarole")}
            waters = [cell for cell, land in shown.items() if land.waters]
            assert line.water == sum(other in counting for cell in waters for other in neighbours(cell))
            assert line.plant == 3 * sum(land.plants for land in shown.values())
            assert line.forest == 2 * len({animal for land in shown.values() for animal in land.animals})
            assert line.moon == sum(moon_value(shown, cell) for cell, land in shown.items() if land.moon)


def biggest_range(shown: dict[Cell, Card]) -> int:
    """Return the most Mountain icons in one group of neighbouring Mountain cards."""
    left = {cell for cell, land in shown.items() if land.mountains}
    best = 0
    while left:
        group, border = 0, [left.pop()]
        while border:
            cell = border.pop()
            group += shown[cell].mountains
            for other in neighbours(cell):
                if other in left:
                    left.remove(other)
                    border.append(other)
        best = max(best, group)
    return best


def moon_value(shown: dict[Cell, Card], moon: Cell) -> int:
    """Return what one moon scores."""
    below = shown.get(Cell(moon.x, moon.y + 1))
    if below is None:
        return 0
    column = [land for cell, land in shown.items() if cell.x == moon.x and cell.y > moon.y]
    return 2 * sum(icon in below.icons for land in column for icon in land.icons)


@pytest.mark.rule("INV-40")
def test_views_show_no_card_that_was_not_seen() -> None:
    """Before the end a view names only cards that its reader saw in an event, or that are public."""
    seen: dict[int | None, set[str]] = {}
    for table in tables():
        step, lands = table.step, set(table.pack.lands)
        if step.before is None:
            seen = {viewer: set() for viewer in (*range(step.variant.seats), None)}
        for viewer in seen:
            for event in step.events:
                seen[viewer] |= texts(TITLE.redact(event, viewer)) & lands
            if TITLE.decision(step.after) is not None:
                assert texts(TITLE.view(step.after, viewer)) & lands <= seen[viewer]


def texts(value: Any) -> set[str]:
    """Return every text anywhere in a struct."""
    found: set[str] = set()
    stack = [msgspec.to_builtins(value)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, dict):
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
    return found


@pytest.mark.rule("SW-17.4", "SW-17.5", "SW-3.12")
def test_games_begin_and_end_as_the_page_says() -> None:
    """Set-up comes in the order of table E; the last commit ends with TurnEnded, WorldsScored, GameEnded."""
    for variant, game in variants(TITLE):
        steps = list(play(TITLE, variant, game))
        first = [type(event) for event in steps[0].events]
        after_deck = [TravellersDisplayed] if variant.seats == 1 else [SunAssigned, TravellersDisplayed]
        assert first[: 3 + len(after_deck)] == [GameBegun, StartingLandsDealt, DeckShuffled, *after_deck]
        assert [type(event).__name__ for event in steps[-1].events[-3:]] == ["TurnEnded", "WorldsScored", "GameEnded"]
        assert isinstance(steps[-1].events[-1], GameEnded)


@pytest.mark.rule("SW-14.8", "SW-14.13")
def test_solo_leaves_two_stacks() -> None:
    """Five stacks are picked, from 7, 6, 5, 4 and 3 that remain; two stay unused."""
    for variant, game in variants(TITLE):
        if variant.seats == 1:
            steps = list(play(TITLE, variant, game))
            picks = [step for step in steps if isinstance(step.action, PickStack)]
            assert [len(TITLE.legal_actions(step.before, 0)) for step in picks] == [7, 6, 5, 4, 3]


def mirrored(world: state.World) -> state.World:
    """Return a World turned left to right, with its Travellers on the other side."""
    places = [PLACE_MIRROR[place] for place in range(len(world.lands))]

    def flip(cells: int) -> int:
        return sum(1 << places[place] for place in range(len(places)) if cells >> place & 1)

    def turn(cell: Cell) -> Cell:
        return Cell(-cell.x, cell.y)

    lands = [""] * len(world.lands)
    for place, land in enumerate(world.lands):
        if land:
            lands[places[place]] = land
    other = {Side.LEFT: Side.RIGHT, Side.RIGHT: Side.LEFT}
    replace = msgspec.structs.replace
    return replace(
        world,
        lands=tuple(lands),
        portals=tuple(state.Portal(turn(portal.right), turn(portal.left)) for portal in world.portals),
        travellers=tuple(replace(traveller, side=other[traveller.side]) for traveller in world.travellers),
        cities=tuple(replace(city, cell=turn(city.cell), partner=turn(city.partner)) for city in world.cities),
        **{name: flip(getattr(world, name)) for name in ("occupied", "tzimimes", "fumaroles", "used", "linked")},
    )


PLACE_MIRROR = [place_of(Cell(-CELLS[place].x, CELLS[place].y)) for place in range(PLACES)]


@pytest.mark.rule("INV-34")
def test_a_mirrored_world_scores_the_same() -> None:
    """Turning a World left to right changes no score."""
    for step, table in finished():
        for seat, world in enumerate(step.after.worlds):
            assert score(table.pack, mirrored(world), seat) == score(table.pack, world, seat)


@pytest.mark.rule("INV-36", "SW-7.14", "SW-10.7", "SW-13.2")
def test_what_lies_hidden_in_a_world_no_longer_matters() -> None:
    """Exchanging the identities of two face-down or covered Lands changes no score, option or later event."""
    tried = 0
    for table in tables():
        decision, now = TITLE.decision(table.step.after), table.step.after
        if decision is None or decision.kind != "place_land":
            continue
        (seat,) = decision.seats
        world = now.worlds[seat]
        hidden = [place for place in range(PLACES) if (world.tzimimes | world.fumaroles) >> place & 1]
        if len(hidden) < 2:
            continue
        tried += 1
        lands = list(world.lands)
        lands[hidden[0]], lands[hidden[-1]] = lands[hidden[-1]], lands[hidden[0]]
        changed = msgspec.structs.replace(world, lands=tuple(lands))
        worlds = (*now.worlds[:seat], changed, *now.worlds[seat + 1 :])
        other = msgspec.structs.replace(now, worlds=worlds)
        assert score(table.pack, changed, seat) == score(table.pack, world, seat)
        legal = TITLE.legal_actions(now, seat)
        assert TITLE.legal_actions(other, seat) == legal
        for action in legal[::5]:
            events = TITLE.decide(now, seat, action, KeyedDraw(b"x"))
            if not any(isinstance(event, FumarolePlaced) for event in events):
                assert TITLE.decide(other, seat, action, KeyedDraw(b"x")) == events
    assert tried > 50
