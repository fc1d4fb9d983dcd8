"""Records of a dishonest operator who knows the seed: whatever gives a choice of chance must be found by `verify`.

Every draw in these records has the value that the committed seed gives it. What is wrong is which draws were made, in
which order, how often, or that the cards which were dealt are not those that were drawn.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.cli import checking
from services.strange_world.content import Pack, find
from services.strange_world.rules import drafting
from services.strange_world.rules.events import (
    DeckShuffled,
    Event,
    GameBegun,
    LandsDealt,
    StackPicked,
    StartingLandsDealt,
    SunAssigned,
    SunPassed,
    TravellersDisplayed,
    TurnStarted,
)
from services.strange_world.rules.setup import FIRST_HOLDER, LAND_DECK, STARTING_LANDS
from shared.engine.game import Game
from shared.engine.platform import GameCreated, SeedRevealed, Undone
from shared.engine.title_wire import AnyCommit
from shared.engine.verify import verify
from shared.rng import KeyedDraw, game_seed
from tests.museum.exhibits import play
from tests.titles import WIRES

WIRE = WIRES["strange_world"]
Record = list[AnyCommit]


def played(seats: int) -> Record:
    """Return the record of a whole game."""
    game = Game(WIRE)
    return [game.apply(entry) for entry in asyncio.run(play(WIRE, seats, {}))]


@pytest.fixture(scope="module")
def three() -> Record:
    """A game of three seats."""
    return played(3)


@pytest.fixture(scope="module")
def solo() -> Record:
    """A game of one seat."""
    return played(1)


def created(record: Record) -> GameCreated:
    """Return how the game was created."""
    return next(fact for fact in record[0].platform_events if isinstance(fact, GameCreated))


def chance(record: Record) -> KeyedDraw:
    """Return the game's own draws from the first one on, as its operator can make them at will."""
    revealed = next(fact for fact in record[-1].platform_events if isinstance(fact, SeedRevealed))
    return KeyedDraw(game_seed(revealed.server_seed, created(record).entropies))


def pack_of(record: Record) -> Pack:
    """Return the pack of the game."""
    return find(next(event for event in record[0].events if isinstance(event, GameBegun)).pack)


def with_first(record: Record, events: tuple[Any, ...], draws: KeyedDraw | None) -> Record:
    """Return the record with other events and draws in its first commit."""
    return [replace(record[0], events=events, draws=tuple(draws.records) if draws else ()), *record[1:]]


def with_event(record: Record, kind: type[Any], change: Callable[[Any], Any]) -> Record:
    """Return the record with the first event of one kind changed."""
    place = next(i for i, commit in enumerate(record) if any(isinstance(event, kind) for event in commit.events))
    events = tuple(change(event) if isinstance(event, kind) else event for event in record[place].events)
    return [*record[:place], replace(record[place], events=events), *record[place + 1 :]]


def drawn_again(record: Record) -> KeyedDraw:
    """Return the game's draws after all those of its first commit."""
    draws = chance(record)
    for made in record[0].draws:
        draws.below(made.bound, made.label)
    return draws


def in_another_order(record: Record) -> tuple[tuple[Any, ...], KeyedDraw]:
    """Return a set-up that draws the first holder first and the starting Lands last."""
    draws, pack = chance(record), pack_of(record)
    begun, *_, last = record[0].events
    holder = draws.below(3, FIRST_HOLDER)
    deck = draws.shuffle(pack.deck_for(3), LAND_DECK)
    cards = tuple(land.id for land in pack.starting_lands)
    dealt = draws.sample(cards, 3, STARTING_LANDS)
    kept = [event for event in record[0].events if not isinstance(event, SunAssigned | DeckShuffled | GameBegun)]
    rest = [event for event in kept if not isinstance(event, StartingLandsDealt)]
    assert rest[-1] == last
    lands = StartingLandsDealt(dealt, tuple(card for card in cards if card not in dealt))
    return (begun, SunAssigned(holder), DeckShuffled(len(deck), deck), lands, *rest), draws


class Forger:
    """Writes the first commit of a game for three, event by event, with the game's own draws."""

    def __init__(self, record: Record) -> None:
        """Begin as the game began."""
        self.record = record
        self.pack = pack_of(record)
        self.draws = chance(record)
        self.state: Any = None
        self.events: list[Event] = []
        self.put(record[0].events[0])

    def put(self, event: Event) -> None:
        """Add an event."""
        self.state = WIRE.title.evolve(self.state, event)
        self.events.append(event)

    def deal_starting_lands(self) -> None:
        """Draw the starting Lands."""
        cards = tuple(land.id for land in self.pack.starting_lands)
        dealt = self.draws.sample(cards, 3, STARTING_LANDS)
        self.put(StartingLandsDealt(dealt, tuple(card for card in cards if card not in dealt)))

    def shuffle(self) -> None:
        """Draw the deck."""
        deck = self.draws.shuffle(self.pack.deck_for(3), LAND_DECK)
        self.put(DeckShuffled(len(deck), deck))

    def assign_sun(self) -> None:
        """Draw who holds the Sun."""
        self.put(SunAssigned(self.draws.below(3, FIRST_HOLDER)))

    def display(self) -> None:
        """Show the Travellers."""
        self.put(next(event for event in self.record[0].events if isinstance(event, TravellersDisplayed)))

    def deal(self) -> None:
        """Deal the top of the deck."""
        self.put(drafting.deal(self.pack, self.state.deck, 3, self.state.holder or 0))

    def start(self) -> None:
        """Begin the first turn."""
        self.put(TurnStarted(1, self.state.holder))

    def whole(self) -> Record:
        """Return a record of this set-up and an end at which the seed is revealed."""
        first = replace(self.record[0], events=tuple(self.events), draws=tuple(self.draws.records))
        end = replace(self.record[-1], version=2, events=(), action=None, draws=())
        return [first, end]


def prepared(record: Record) -> Forger:
    """Return a set-up that is honest up to the deck."""
    forger = Forger(record)
    forger.deal_starting_lands()
    forger.shuffle()
    return forger


def shuffle_away(forger: Forger) -> None:
    """Deal the whole deck before the first turn, and shuffle another one."""
    for _ in range(5):
        forger.deal()
    forger.shuffle()
    forger.assign_sun()
    forger.display()
    forger.start()


def begin_again(forger: Forger) -> None:
    """Go back to before the first turn and draw the first holder once more."""
    forger.assign_sun()
    forger.display()
    forger.start()
    forger.put(TurnStarted(0, None))
    forger.assign_sun()
    forger.start()


def give_the_sun(forger: Forger) -> None:
    """Pass on a Sun that nobody was drawn to hold."""
    forger.put(SunPassed(0, 2))
    forger.display()
    forger.start()


def start_twice(forger: Forger) -> None:
    """Begin the first turn for the seat that was drawn, and then for another one."""
    forger.assign_sun()
    forger.display()
    forger.start()
    forger.put(TurnStarted(1, (forger.state.holder + 1) % 3))


def deal_twice(forger: Forger) -> None:
    """Throw the first hands away and deal others."""
    forger.assign_sun()
    forger.display()
    forger.start()
    forger.deal()
    forger.deal()


def test_an_honest_set_up_passes(three: Record) -> None:
    """What the forger writes is what the game wrote, as long as it is honest."""
    forger = prepared(three)
    forger.assign_sun()
    forger.display()
    forger.start()
    assert tuple(forger.events) == three[0].events
    assert verify(WIRE.title, forger.whole()).ok


@pytest.mark.parametrize("cheat", [shuffle_away, begin_again, give_the_sun, start_twice, deal_twice])
def test_a_way_round_to_a_second_chance_is_found(three: Record, cheat: Callable[[Forger], None]) -> None:
    """No sequence of events that the rules never give may lead to another deck, hand or first holder."""
    forger = prepared(three)
    cheat(forger)
    assert not verify(WIRE.title, forger.whole()).ok


@pytest.mark.parametrize(
    "lie",
    [{"rules_version": 99}, {"options": {"pack": "skyward"}}, {"options": {"nobody": "knows"}}],
    ids=["another version of the rules", "another pack", "an unknown option"],
)
def test_no_lie_about_rules_or_options_hides_a_second_chance(three: Record, lie: dict[str, Any]) -> None:
    """By which rules a record is checked is not for its operator to choose, and no check is left out unsaid."""
    forger = prepared(three)
    shuffle_away(forger)
    first, end = forger.whole()
    first = replace(first, platform_events=(replace(created(three), **lie),))
    assert not verify(WIRE.title, [first, end]).ok


def test_a_hand_that_is_not_the_top_of_the_deck_is_found(three: Record) -> None:
    """The deck was shuffled honestly, and then a seat was dealt its last three cards."""
    deck = next(event for event in three[0].events if isinstance(event, DeckShuffled)).order

    def cheat(dealt: LandsDealt) -> LandsDealt:
        first, *others = dealt.hands
        return replace(dealt, hands=(replace(first, lands=deck[-3:]), *others))

    assert not verify(WIRE.title, with_event(three, LandsDealt, cheat)).ok


def test_a_card_that_does_not_lie_on_its_stack_is_found(solo: Record) -> None:
    """The one card of a picked stack is another one than the shuffle put on its top."""
    deck = next(event for event in solo[0].events if isinstance(event, DeckShuffled)).order
    falsified = with_event(solo, StackPicked, lambda picked: replace(picked, land=deck[-1]))
    assert not verify(WIRE.title, falsified).ok


def test_a_second_shuffle_is_found(three: Record) -> None:
    """Who may shuffle until the deck suits has chosen it, however honest each shuffle was."""
    draws = drawn_again(three)
    order = draws.shuffle(pack_of(three).deck_for(3), LAND_DECK)
    events = three[0].events
    assert not verify(WIRE.title, with_first(three, (*events, DeckShuffled(len(order), order)), draws)).ok


def test_a_second_draw_of_the_first_holder_is_found(three: Record) -> None:
    """The first seat is drawn once."""
    draws = drawn_again(three)
    again = SunAssigned(draws.below(3, FIRST_HOLDER))
    assert not verify(WIRE.title, with_first(three, (*three[0].events, again), draws)).ok


def test_draws_in_another_order_are_found(three: Record) -> None:
    """docs/fairness.md fixes the order: each other order is another deck to choose from."""
    assert not verify(WIRE.title, with_first(three, *in_another_order(three))).ok


def test_a_set_up_that_was_undone_and_done_otherwise_is_found(three: Record) -> None:
    """Going back before the first commit must not open the choice of another order either."""
    events, draws = in_another_order(three)
    undone = replace(three[1], events=(), platform_events=(Undone(0),), action=None, seat=None, draws=())
    again = replace(three[0], version=3, events=events, platform_events=(), draws=tuple(draws.records))
    rest = [replace(commit, version=commit.version + 2) for commit in three[1:]]
    assert not verify(WIRE.title, [three[0], undone, again, *rest]).ok


def test_a_game_without_any_draw_is_found(three: Record) -> None:
    """No starting Lands, no deck and no first holder were drawn; the events name them all the same."""
    drawn = StartingLandsDealt | DeckShuffled | SunAssigned
    events = tuple(event for event in three[0].events if not isinstance(event, drawn))
    assert not verify(WIRE.title, with_first(three, events, None)).ok


def test_a_game_that_was_created_twice_is_found(three: Record) -> None:
    """The second creation is the one that everybody is shown, with another commitment and other entropies."""
    other = replace(created(three), commitment=bytes(32), entropies=(b"x", b"y", b"z"))
    falsified = [three[0], replace(three[1], platform_events=(other,)), *three[2:]]
    assert not verify(WIRE.title, falsified).ok


def test_a_game_that_was_created_twice_at_once_is_found(three: Record) -> None:
    """A second creation in the first commit replaces the one that was checked."""
    other = replace(created(three), commitment=bytes(32), entropies=(b"x", b"y", b"z"))
    falsified = [replace(three[0], platform_events=(*three[0].platform_events, other)), *three[1:]]
    assert not verify(WIRE.title, falsified).ok


def test_a_second_seed_is_found(three: Record) -> None:
    """Whoever reads the record must not find two seeds, one of which was never checked."""
    last = replace(three[-1], platform_events=(*three[-1].platform_events, SeedRevealed(bytes(32))))
    assert not verify(WIRE.title, [*three[:-1], last]).ok


def test_another_pack_than_the_game_was_created_with_is_found(three: Record) -> None:
    """The pack that the creation names, with its digest, is the one whose cards are shuffled."""
    other = replace(created(three), pack=replace(created(three).pack, digest="0" * 64))
    assert not verify(WIRE.title, [replace(three[0], platform_events=(other,)), *three[1:]]).ok


@pytest.mark.parametrize("missing", ["everything", "the creation", "the first commit"])
async def test_a_record_without_a_beginning_is_judged(missing: str) -> None:
    """`strata verify` names what is missing and does not call it its own mistake."""
    game = Game(WIRE)
    record = [game.apply(entry) for entry in await play(WIRE, 2, {})]
    cut = {"everything": [], "the creation": [replace(record[0], platform_events=()), *record[1:]]}
    verdict = await checking.judge(_Client(), cut.get(missing, record[1:]))  # type: ignore[arg-type] # all it asks for
    assert not verdict.ok


class _Client(msgspec.Struct):
    """As much of a client as judging a record without a table needs."""

    wire: Any = WIRE
