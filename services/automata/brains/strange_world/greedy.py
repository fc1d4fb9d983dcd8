"""The brain called `greedy`: it looks at its own World after everything it might do, and takes what promises most.

It judges by `Outlook`, plays its known cards out in mind (the best few beginnings, each followed by the best that can
be done with the rest of the hand), and when drafting keeps what it can use and what its neighbour would like to have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from msgspec import Struct

from services.automata.brains.strange_world.outlook import Outlook
from services.automata.brains.strange_world.plays import Scene, covered, erupted, joined, placed, placings, welcome
from services.automata.brains.strange_world.weights import WEIGHTS
from services.strange_world.content import Pack, find
from services.strange_world.rules.actions import (
    Action,
    ChooseCityPartner,
    ChooseDirection,
    CoverCard,
    DeclineTraveller,
    PassOne,
    PassTwo,
    PickStack,
    PlaceLand,
    WelcomeTraveller,
)
from services.strange_world.rules.board import place_of
from services.strange_world.rules.phases import ChoosingCityPartner, WelcomingTraveller
from services.strange_world.rules.playing_order import neighbour
from services.strange_world.rules.scoring import score
from services.strange_world.rules.state import State
from shared.kernel import Draw

BEGINNINGS = 3
NEIGHBOUR_SHARE = 0.25

Lands = tuple[str, ...]


class Greedy:
    """Chooses by looking a hand of cards ahead."""

    about = "looks a hand of cards ahead and builds for the highest score"
    slow = True
    blind = False

    def __init__(self, weights: Mapping[str, tuple[float, float]] = WEIGHTS) -> None:
        """Judge Worlds by `weights` (`Outlook`)."""
        self._weights = weights

    def choose(self, title: Any, view: Any, legal: tuple[Any, ...], draw: Draw) -> Any:
        """Return the legal action that promises most; of equals the first."""
        if len(legal) == 1:
            return legal[0]
        state: State = title.determinize(view, draw)
        return Mind(state, view.seat or 0, self._weights).choose(legal)


class Beginning(Struct, frozen=True):
    """An action, one outcome of it, the cards left to play, and what the outcome promises by itself."""

    action: Action
    scene: Scene
    rest: Lands
    promise: float


class Mind:
    """One decision of one seat: of the state it looks only at what its view shows."""

    def __init__(self, state: State, seat: int, weights: Mapping[str, tuple[float, float]]) -> None:
        """Think for `seat`."""
        self._state = state
        self._seat = seat
        self._pack: Pack = find(state.pack)
        self._outlook = Outlook(self._pack, weights)
        self._hand = state.hands[seat]
        self._scene = self._scene_of(seat)

    def choose(self, legal: tuple[Action, ...]) -> Action:
        """Return the action that promises most."""
        match legal[0]:
            case PassTwo() | PassOne() | PickStack() | ChooseDirection():
                return max(legal, key=self._judge)
            case _:
                return self._plan(legal)

    def _judge(self, action: Action) -> float:
        """Return how good an action is that does not touch the own World at once."""
        match action:
            case PassTwo(given):
                return self._giving(given)
            case PassOne(land):
                return self._giving((land,))
            case PickStack(stack):
                return self._play_out(self._scene, (self._state.stacks[stack - 1][0],))
            case ChooseDirection(direction):
                receiver = neighbour(self._seat, 1, direction, self._state.seats)
                return -score(self._pack, self._state.worlds[receiver], receiver).total
            case _:
                raise ValueError(f"{action!r} changes the own World")

    def _giving(self, given: Lands) -> float:
        """Judge a pass: what the cards kept are good for, less a share of what the neighbour can do with the others."""
        kept = tuple(land for land in self._hand if land not in given)
        beside = self._scene_of(neighbour(self._seat, 1, self._state.direction, self._state.seats))
        gift = sum(self._play_out(beside, (land,)) for land in given)
        return self._play_out(self._scene, kept) - NEIGHBOUR_SHARE * gift

    def _plan(self, legal: tuple[Action, ...]) -> Action:
        """Play the rest of the hand out after the most promising beginnings with each set of cards left."""
        beginnings = [beginning for action in legal for beginning in self._beginnings(action)]
        beginnings.sort(key=lambda beginning: (beginning.rest, -beginning.promise))
        chosen: list[Beginning] = []
        for _, alike in groupby(beginnings, key=lambda beginning: beginning.rest):
            chosen += list(alike)[:BEGINNINGS]
        return max(chosen, key=lambda beginning: self._play_out(beginning.scene, beginning.rest)).action

    def _beginnings(self, action: Action) -> list[Beginning]:
        rest = tuple(land for land in self._hand if not isinstance(action, PlaceLand) or land != action.land)
        return [Beginning(action, scene, rest, self._value(scene)) for scene in self._outcomes(action)]

    def _outcomes(self, action: Action) -> list[Scene]:
        """Return what an action that changes the own World can lead to, the owner's further choices included."""
        scene, phase = self._scene, self._state.phase
        match action:
            case PlaceLand(land, cell):
                return placed(self._pack, scene, land, place_of(cell), self._promise)
            case CoverCard(cell):
                return covered(scene, place_of(cell))
            case ChooseCityPartner(cell) if isinstance(phase, ChoosingCityPartner):
                return [joined(scene, place_of(phase.cell), place_of(cell))]
            case WelcomeTraveller(traveller, side, slot):
                return self._erupting(welcome(scene, traveller, side, slot))
            case DeclineTraveller():
                return self._erupting(scene)
            case _:
                raise ValueError(f"{action!r} does not change the own World now")

    def _erupting(self, scene: Scene) -> list[Scene]:
        """SW-6.10: a Volcano that made the Portal erupts next."""
        phase = self._state.phase
        source = phase.erupting if isinstance(phase, WelcomingTraveller) else None
        return [scene] if source is None else erupted(scene, place_of(source))

    def _play_out(self, scene: Scene, lands: Lands) -> float:
        """Return what a World promises after these cards, each time the best play among all of them taken."""
        while lands:
            scene, played = max(
                ((outcome, land) for land in lands for outcome in self._placings(scene, land)),
                key=lambda found: self._value(found[0]),
            )
            lands = tuple(land for land in lands if land != played)
        return self._value(scene)

    def _placings(self, scene: Scene, land: str) -> Iterator[Scene]:
        strict = self._state.strict_volcano
        return placings(self._pack, scene, land, self._promise, strict_volcano=strict)

    def _value(self, scene: Scene) -> float:
        return self._outlook.value(scene.world, scene.next_city)

    def _promise(self, scene: Scene, traveller: str, slot: int) -> float:
        return self._outlook.bonus_at(scene.world, traveller, slot)

    def _scene_of(self, seat: int) -> Scene:
        return Scene(self._state.worlds[seat], self._state.cities, self._state.display)
