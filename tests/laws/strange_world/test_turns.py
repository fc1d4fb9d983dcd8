"""INV-27 to INV-32: cards, turns and how many answers a game asks for."""

from __future__ import annotations

from collections import Counter

import pytest

from services.strange_world.rules import TITLE
from services.strange_world.rules.actions import Direction, PickStack
from services.strange_world.rules.events import (
    DeckShuffled,
    GameBegun,
    GameEnded,
    StartingLandsDealt,
    SunAssigned,
    TravellersDisplayed,
)
from tests.laws.playing import play, variants
from tests.laws.strange_world.tables import tables


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
