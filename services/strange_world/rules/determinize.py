"""Inventing what a view does not show: one full state that its reader cannot tell from the real one (SW-15.11).

What the reader knows stays. Every other card is dealt at random to the places that may hold it, and the passes between
other seats are made up backwards, from the hands they must have led to.
"""

from __future__ import annotations

from services.strange_world.content import Pack, find
from services.strange_world.rules import knowledge, worlds
from services.strange_world.rules.events import Flip, Passing, Transfer
from services.strange_world.rules.phases import (
    ChoosingCityPartner,
    ChoosingDirection,
    Continuing,
    CoveringCard,
    GameOver,
    PassingLands,
    Phase,
    PickingStack,
    PlacingLand,
    WelcomingTraveller,
)
from services.strange_world.rules.playing_order import played_by_seat
from services.strange_world.rules.state import State, World
from services.strange_world.rules.views import Face, Pending, View, WorldView
from shared.kernel import Draw

HIDDEN_CARDS = "hidden_cards"
HIDDEN_PASSES = "hidden_passes"
STACKS = 7

Lands = tuple[str, ...]
Hands = tuple[Lands, ...]


def determinize(view: View, draw: Draw) -> State:
    """Return one state that the view allows; `view` of it, for the same reader, is this view again."""
    pack = find(view.pack)
    passed_on, certain = _certain_hands(view, draw)
    pool = draw.shuffle(_unseen(pack, view, certain), HIDDEN_CARDS)
    hands, pool = _filled_hands(view, certain, pool)
    stacks, pool = _filled_stacks(view, pool)
    return State(
        pack=view.pack,
        seats=len(view.worlds),
        strict_volcano=view.strict_volcano,
        phase=_phase(pack, view, hands, draw),
        cities=view.cities,
        fumaroles=view.fumaroles,
        worlds=tuple(_world(world) for world in view.worlds),
        hands=hands,
        turn=view.turn,
        holder=view.holder,
        direction=view.direction,
        deck=view.undealt or pool,
        stacks=stacks,
        played=view.played,
        transfers=_transfers(pack, view, hands, passed_on, draw),
        display=view.display,
        unused=view.unused_starting_lands,
    )


def _certain_hands(view: View, draw: Draw) -> tuple[str | None, list[Lands]]:
    """Decide which given card went on (None: none of them), and return the cards that each hand then holds for sure."""
    certain: list[Lands] = [()] * len(view.worlds)
    reader = 0 if len(view.worlds) == 1 else view.seat
    if reader is None:
        return None, certain
    certain[reader] = view.hand
    trail = knowledge.trail(reader, view.transfers, _played(view)) if view.transfers else None
    if trail is None:
        return None, certain
    passed_on = draw.sample(trail.suspects, 1, HIDDEN_PASSES)[0]
    for land in trail.two + trail.one:
        owner = trail.next_receiver if land == passed_on else trail.receiver
        if owner != reader and land not in view.played:
            certain[owner] += (land,)
    return passed_on, certain


def _unseen(pack: Pack, view: View, certain: list[Lands]) -> Lands:
    """Return the cards of the game that the reader has not found anywhere, in pack order."""
    seen = {card.land for world in view.worlds for card in world.cards}
    seen.update(*certain, view.undealt)
    for stack in view.stacks:
        seen.update(stack.lands, () if stack.open is None else (stack.open,))
    return tuple(land for land in pack.deck_for(len(view.worlds)) if land not in seen)


def _filled_hands(view: View, certain: list[Lands], pool: Lands) -> tuple[Hands, Lands]:
    hands = []
    for size, held in zip(view.hands, certain, strict=True):
        missing = size - len(held)
        hands.append(tuple(sorted(held + pool[:missing])))
        pool = pool[missing:]
    return tuple(hands), pool


def _filled_stacks(view: View, pool: Lands) -> tuple[Hands, Lands]:
    if len(view.worlds) > 1 or not (view.stacks or view.turn):
        return (), pool
    stacks: list[Lands] = [()] * STACKS
    for stack in view.stacks:
        rest = stack.lands or pool[: stack.hidden]
        stacks[stack.number - 1] = rest if stack.open is None else (stack.open, *rest)
        pool = pool if stack.lands else pool[stack.hidden :]
    return tuple(stacks), pool


def _transfers(pack: Pack, view: View, hands: Hands, passed_on: str | None, draw: Draw) -> tuple[Transfer, ...]:
    """Make up this turn's passes: each gave cards that its receiver had right after it."""
    seats = len(view.worlds)
    if not view.transfers:
        return ()
    held = [hand + played for hand, played in zip(hands, _played(view), strict=True)]
    second: list[Transfer] = []
    for transfer in view.transfers[seats:]:
        got = held[transfer.receiver]
        second.append(_invented(pack, transfer, (passed_on,) if passed_on in got else got, draw))
    for transfer in second:
        held[transfer.receiver] = tuple(land for land in held[transfer.receiver] if land not in transfer.lands)
        held[transfer.giver] += transfer.lands
    first = [_invented(pack, transfer, held[transfer.receiver], draw) for transfer in view.transfers[:seats]]
    return (*first, *second)


def _invented(pack: Pack, transfer: Transfer, held: Lands, draw: Draw) -> Transfer:
    """Return a transfer that the reader knows as it is, any other with cards out of `held`."""
    if transfer.lands:
        return transfer
    lands = pack.in_order(draw.sample(held, transfer.count, HIDDEN_PASSES))
    return Transfer(transfer.giver, transfer.receiver, transfer.count, lands)


def _played(view: View) -> Hands:
    return played_by_seat(view.played, view.holder, view.direction, len(view.worlds))


def _phase(pack: Pack, view: View, hands: Hands, draw: Draw) -> Phase:
    if view.ranks:
        scores = tuple(world.score for world in view.worlds)
        return GameOver(scores, view.ranks, view.winners, view.level)
    match view.pending:
        case None:
            return Continuing()
        case Pending("pass_two"):
            return PassingLands(Passing.TWO, _chosen(pack, view, hands, 2, draw))
        case Pending("pass_one"):
            return PassingLands(Passing.ONE, _chosen(pack, view, hands, 1, draw))
        case Pending("pick_stack"):
            return PickingStack()
        case Pending("choose_direction", (seat,)):
            return ChoosingDirection(seat)
        case Pending("welcome_traveller", (seat,), left, right, source) if left is not None and right is not None:
            return WelcomingTraveller(seat, left, right, source)
        case Pending("cover_card", (seat,), source=source) if source is not None:
            return CoveringCard(seat, source)
        case Pending("choose_city_partner", (seat,), fumarole=cell) if cell is not None:
            return ChoosingCityPartner(seat, cell)
        case Pending("place_land", (seat,)):
            return PlacingLand(seat)
        case _:
            raise ValueError(f"a view cannot wait for {view.pending}")


def _chosen(pack: Pack, view: View, hands: Hands, count: int, draw: Draw) -> Hands:
    """SW-15.5: of the others only that they have chosen is known."""
    sealed: list[Lands] = [()] * len(hands)
    for seat in view.chosen:
        own = view.choice if seat == view.seat else ()
        sealed[seat] = own or pack.in_order(draw.sample(hands[seat], count, HIDDEN_PASSES))
    return tuple(sealed)


def _world(view: WorldView) -> World:
    world = World()
    for card in view.cards:
        world = worlds.with_land(world, card.land, card.cell)
        if card.face is Face.TZIMIME:
            world = worlds.with_flips(world, (Flip(card.cell, ()),))
        elif card.face is Face.FUMAROLE:
            world = worlds.with_fumarole(world, card.cell)
    for portal in view.portals:
        world = worlds.with_portal(world, portal.left, portal.right)
    for traveller in view.travellers:
        world = worlds.with_traveller(world, traveller)
    for city in view.cities:
        world = worlds.with_city(world, city)
    return world
