"""SW-16: the decisions of the game and their options."""

from __future__ import annotations

import re
import typing

import msgspec
import pytest

from services.strange_world.content import newest
from services.strange_world.rules import TITLE, Action, State
from services.strange_world.rules.actions import (
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    Direction,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    Side,
    WelcomeTraveller,
)
from services.strange_world.rules.events import DarkCityBuilt, FumarolePlaced, TravellerDeclined, TravellerWelcomed
from shared.kernel import Reason
from tests.unit.strange_world.building import scene
from tests.unit.strange_world.drawing import PAGE
from tests.unit.strange_world.games import game, refusal
from tests.unit.strange_world.positions import OWNER

TABLE_D = PAGE.split("\nTable D\n")[1].split("- **SW-16.7**")[0]
FREE = (WelcomeTraveller, DeclineTraveller, CoverCard, ChooseCityPartner)
GAMES = [(seats, number) for seats in (1, 2, 3, 4) for number in range(2)]
NUMBERS = {
    "choose_direction": {2},
    "pass_two": {3},
    "pass_one": {3},
    "pick_stack": {7, 6, 5, 4, 3},
    "place_land": set(range(1, 1000)),
    "welcome_traveller": set(range(2, 34)),
    "cover_card": {2, 3, 4},
    "choose_city_partner": {2, 3},
}
"""How many options each kind may have: the last column of table D."""
OTHERS: list[Action] = [
    ChooseDirection(Direction.LEFT),
    PassTwo(("mo1", "mo2")),
    PassOne("mo1"),
    PickStack(1),
    DeclineTraveller(),
]


def states() -> list[State]:
    """Return all states of some random games in which an answer is awaited."""
    return [state for seats, number in GAMES for state in game(seats, number).states[:-1]]


def snake(name: str) -> str:
    """Return the name of a kind as decisions give it."""
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


@pytest.mark.rule("SW-16.1")
def test_the_actions_are_the_kinds_of_the_table() -> None:
    """Table D has eight kinds; declining is the one answer with an action of its own."""
    kinds = re.findall(r"^\| `(\w+)` \|", TABLE_D, re.MULTILINE)
    actions = {action.__name__ for action in typing.get_args(TITLE.actions)}
    assert len(kinds) == 8
    assert actions == {*kinds, "DeclineTraveller"}
    asked = {decision.kind for state in states() if (decision := TITLE.decision(state))}
    assert asked <= {snake(kind) for kind in kinds} == set(NUMBERS)


@pytest.mark.rule("SW-16.2")
def test_the_number_of_options_is_that_of_the_table() -> None:
    """In random games every kind has as many options as table D says, and no option twice."""
    for state in states():
        decision = TITLE.decision(state)
        assert decision is not None
        for seat in decision.seats:
            options = TITLE.legal_actions(state, seat)
            assert len(options) in NUMBERS[decision.kind]
            assert len(set(options)) == len(options)


@pytest.mark.rule("SW-16.2", "INV-31")
def test_an_answer_outside_the_list_is_refused_and_changes_nothing() -> None:
    """Another kind, another seat, and after the end anything: each has its reason, and the state stays as it was."""
    for state in states()[::11]:
        decision = TITLE.decision(state)
        assert decision is not None
        before = msgspec.json.encode(state)
        seat = decision.seats[0]
        for action in OTHERS:
            if not isinstance(action, DeclineTraveller) and snake(type(action).__name__) != decision.kind:
                assert refusal(state, seat, action) is Reason.WRONG_KIND
        for other in {*range(state.seats), state.seats, -1} - set(decision.seats):
            assert TITLE.legal_actions(state, other) == ()
            assert refusal(state, other, TITLE.legal_actions(state, seat)[0]) is Reason.NOT_YOUR_DECISION
        assert msgspec.json.encode(state) == before
    over = game(2).states[-1]
    assert TITLE.legal_actions(over, 0) == ()
    assert refusal(over, 0, OTHERS[0]) is Reason.GAME_OVER


@pytest.mark.rule("SW-16.3")
def test_with_one_option_only_two_kinds_are_not_asked() -> None:
    """Forced covers and Cities are recorded as such, chosen ones not; the last card is asked for with one option."""
    forced = {True: 0, False: 0}
    for seats, number in GAMES:
        for step in game(seats, number).steps:
            for event in step.events:
                if isinstance(event, FumarolePlaced):
                    assert event.forced != isinstance(step.action, CoverCard)
                    forced[event.forced] += 1
                if isinstance(event, DarkCityBuilt):
                    assert event.forced != isinstance(step.action, ChooseCityPartner)
        last = [step for step in game(seats, number).steps if isinstance(step.action, PlaceLand)][-1]
        assert len(TITLE.legal_actions(last.before, last.seat)) == 1
    assert min(forced.values()) > 0


@pytest.mark.rule("SW-16.4")
def test_one_seat_decides_or_all_that_have_not_chosen() -> None:
    """Outside passes one seat is asked; in a pass those without a sealed choice; at the end nobody."""
    for state in states():
        decision = TITLE.decision(state)
        assert decision is not None
        if decision.kind in {"pass_two", "pass_one"}:
            chosen = set(TITLE.view(state, None).chosen)
            assert decision.seats == tuple(seat for seat in range(state.seats) if seat not in chosen)
        else:
            assert len(decision.seats) == 1
        assert all(TITLE.legal_actions(state, seat) for seat in decision.seats)
    assert TITLE.decision(game(3).states[-1]) is None


def position(state: State, action: Action) -> tuple[int, ...]:
    """Return where an option stands by the words of SW-16.5; pairs by their first part, then the next."""
    pack = newest(state.pack.id)
    cards = [land.id for land in pack.deck]
    guests = [guest.id for guest in pack.travellers]
    match action:
        case DeclineTraveller():
            return (-1,)
        case WelcomeTraveller():
            return guests.index(action.traveller), action.side is Side.RIGHT, action.slot
        case CoverCard() | ChooseCityPartner():
            return action.cell.y, action.cell.x
        case PlaceLand():
            return cards.index(action.land), action.cell.y, action.cell.x
        case PassTwo():
            return tuple(cards.index(land) for land in action.lands)
        case PassOne():
            return (cards.index(action.land),)
        case PickStack():
            return (action.stack,)
        case ChooseDirection():
            return (action.direction is Direction.RIGHT,)


@pytest.mark.rule("SW-16.5")
def test_options_are_listed_in_their_order() -> None:
    """Decline first, Travellers by table, left before right, upper first, cells by row, cards by pack position."""
    for state in states():
        for seat in range(state.seats):
            listed = [position(state, action) for action in TITLE.legal_actions(state, seat)]
            assert listed == sorted(listed)


@pytest.mark.rule("SW-16.6")
def test_copies_of_a_design_are_different_options() -> None:
    """With two moons in hand each cell is offered twice, once for each id."""
    drawn = scene(
        """
          |  a     b     |
        1 |  .     .     |
        2 |  M     .     |
        """,
        hand=["O"],
    )
    other = "mo9"
    drawn.state = msgspec.structs.replace(drawn.state, hands=((drawn.hand["O"], other), (), (), ()))
    options = [option for option in TITLE.legal_actions(drawn.state, OWNER) if isinstance(option, PlaceLand)]
    assert [option.land for option in options] == ["mo1"] * 4 + [other] * 4
    assert [option.cell for option in options[:4]] == [option.cell for option in options[4:]]


@pytest.mark.rule("SW-16.7", "INV-32")
@pytest.mark.parametrize(("seats", "answers"), [(1, 20), (2, 50), (3, 80), (4, 105)])
def test_a_game_asks_for_a_fixed_number_of_answers(seats: int, answers: int) -> None:
    """Without Travellers, covers and City partners 20, 50, 80 or 105; each Traveller answer leaves one event."""
    for number in range(3):
        told = game(seats, number)
        assert sum(not isinstance(step.action, FREE) for step in told.steps) == answers
        welcomes = sum(isinstance(step.action, (WelcomeTraveller, DeclineTraveller)) for step in told.steps)
        assert welcomes == len(told.of(TravellerWelcomed)) + len(told.of(TravellerDeclined))
