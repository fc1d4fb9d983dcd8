"""In every position of random games the engine offers, does and counts what the page's pseudo-code says."""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct

from services.strange_world.content import newest
from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import PlaceLand
from services.strange_world.rules.events import Cause, LandsDesolated, PlayEvent
from services.strange_world.rules.views import Face
from tests.laws.playing import Step, play, variants
from tests.laws.strange_world.page import PageWorld, Play, Supplies

CITIES = (9, 7, 5, 4, 4)
QUESTIONS = ("welcome_traveller", "cover_card", "choose_city_partner")
FACES = {Face.LAND: "up", Face.TZIMIME: "tzimime", Face.FUMAROLE: "fumarole"}


class Telling(Struct):
    """One step of a game, the Worlds by the page after it, what happens by the page, and which options it asks for."""

    step: Step
    worlds: list[PageWorld]
    told: list[Any]
    asked: list[Any] | None


def tellings(times: int = 1) -> Iterator[Telling]:
    """Play every random game by the engine and by the page, side by side; set-up is left out."""
    for variant, game in variants(TITLE, times):
        first, *steps = play(TITLE, variant, game)
        opening = TITLE.view(first.after, None)
        worlds = [PageWorld(newest(variant.options["pack"]), world.cards[0].land) for world in opening.worlds]
        shared = Supplies(CITIES, opening.display)
        told: list[Any] = []
        running: Play | None = None
        for step in steps:
            told.clear()
            asked = None
            if isinstance(step.action, PlaceLand):
                running = worlds[step.seat].play(step.seat, step.action.land, step.action.cell, shared, told)
                asked = next(running, None)
            elif running is not None and step.decision is not None and step.decision.kind in QUESTIONS:
                asked = answered(running, step.action)
            yield Telling(step, worlds, list(told), asked)


def answered(running: Play, action: Any) -> list[Any] | None:
    """Go on with a play; return the options of its next question, None when it is over."""
    try:
        return running.send(action)
    except StopIteration:
        return None


@pytest.mark.rule(
    "SW-5.3", "SW-5.4", "SW-5.5", "SW-5.6", "SW-5.7", "SW-5.9", "SW-5.11", "SW-16.5", "SW-19.2", "SW-19.3"
)
def test_a_land_may_go_where_the_page_says() -> None:
    """The options of PlaceLand are each card of the hand with each of the page's cells, in the page's order."""
    for telling in tellings():
        decision = TITLE.decision(telling.step.after)
        if decision is None or decision.kind != "place_land":
            continue
        (seat,) = decision.seats
        world, strict = telling.worlds[seat], telling.step.variant.options["strict_volcano"] == "true"
        assert TITLE.legal_actions(telling.step.after, seat) == tuple(
            PlaceLand(land, cell)
            for land in TITLE.view(telling.step.after, seat).hand
            for cell in world.legal_cells(world.pack.lands[land], strict=strict)
        )


@pytest.mark.rule("SW-6.1", "SW-6.3", "SW-6.4", "SW-7.11", "SW-8.3", "SW-8.4", "SW-8.5", "SW-9.7", "SW-9.10", "SW-9.15")
@pytest.mark.rule("SW-9.16", "SW-10.2", "SW-10.6", "SW-11.1", "SW-11.2", "SW-11.4", "SW-11.5", "SW-16.3", "SW-17.3")
def test_a_play_goes_as_the_page_says() -> None:
    """Events of plays, the questions in between and their options agree; all causes and questions come up."""
    met: Counter[object] = Counter()
    for telling in tellings(times=8):
        step = telling.step
        happened = [event for event in step.events if isinstance(event, typing.get_args(PlayEvent))]
        assert happened == telling.told
        decision = TITLE.decision(step.after)
        kind = decision.kind if decision is not None else "none"
        assert (kind in QUESTIONS) == (telling.asked is not None)
        if telling.asked is not None:
            assert TITLE.legal_actions(step.after, step.seat) == tuple(telling.asked)
            met[kind] += 1
        for event in happened:
            if isinstance(event, LandsDesolated):
                met.update(cause for flip in event.flips for cause in flip.causes)
    assert set(met) == {*QUESTIONS, *Cause}


@pytest.mark.rule("SW-13.1", "SW-13.2", "SW-13.3", "SW-13.4", "SW-13.5", "SW-13.6", "SW-13.8", "SW-13.9", "SW-13.10")
@pytest.mark.rule("SW-13.11", "SW-13.12", "SW-13.13", "SW-13.14", "SW-13.15", "SW-13.16", "SW-13.17", "SW-13.18")
@pytest.mark.rule("SW-13.19", "INV-35")
def test_a_world_is_worth_what_the_page_says() -> None:
    """After every commit the acting seat's World lies as by the page, and its current score is the page's."""
    bonuses = 0
    for telling in tellings():
        world = telling.worlds[telling.step.seat]
        shown = TITLE.view(telling.step.after, None).worlds[telling.step.seat]
        assert {card.cell: card.land for card in shown.cards} == world.land
        assert {card.cell: FACES[card.face] for card in shown.cards} == world.face
        assert (shown.side, shown.edge) == (world.side, world.edge if world.side else None)
        counted = world.score()
        assert {name: getattr(shown.score, name) for name in counted} == counted
        bonuses += counted["traveller"] > 5 * len(world.travellers)
    assert bonuses > 0
