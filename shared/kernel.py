"""The contract between a title and everything around it.

A title is a set of pure functions over frozen structs, gathered in one `Title`. The engine, the automata and the
command line know a game only through it. Nothing here knows a word of any rulebook. Described in
docs/decisions.md ("The title contract").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Generic, Never, TypeVar

import msgspec
from msgspec import Struct

Item = TypeVar("Item")
Settings = TypeVar("Settings", bound=Struct)
State = TypeVar("State", bound=Struct)
Action = TypeVar("Action", bound=Struct)
Event = TypeVar("Event", bound=Struct)
View = TypeVar("View", bound=Struct)


class Reason(Enum):
    """Why a title refuses; stable, sent to clients by name."""

    GAME_OVER = "the game is over"
    NOT_YOUR_DECISION = "the game waits for other seats"
    WRONG_KIND = "the game waits for another kind of action"
    NOT_AN_OPTION = "the action is not among the legal ones"
    CANNOT_PAY = "the seat does not have what the action costs"
    BAD_OPTION = "an option of the table is unknown or has an impossible value"
    BAD_SEATS = "the title is not played by this number of seats"


class Refusal(Exception):
    """What a title raises instead of events: a reason and a sentence that names the limit."""

    def __init__(self, reason: Reason, sentence: str) -> None:
        """Remember why; the sentence is shown to the seat that asked and must not tell it anything hidden."""
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


class Decision(Struct, frozen=True):
    """What a game waits for.

    `kind` is the snake_case name of the action asked for; `seats` are those that have not answered yet (several
    when they choose at the same time, sealed); `open` says that everybody may know the options, not only the seat.
    """

    kind: str
    seats: tuple[int, ...]
    open: bool = False


class Line(Struct, frozen=True):
    """One line of a score sheet."""

    category: str
    points: int


class Standing(Struct, frozen=True):
    """How one seat ended: its rank (1 is best, equal ranks are shared) and its score sheet."""

    seat: int
    rank: int
    total: int
    lines: tuple[Line, ...]


class Result(Struct, frozen=True):
    """How a game ended; `outcome` is a title's word for it where ranks say nothing (a solo level), else empty."""

    standings: tuple[Standing, ...]
    outcome: str = ""


class PackRef(Struct, frozen=True):
    """Which content a game is played with; `digest` is the hex SHA-256 of the pack's file."""

    id: str
    version: int
    digest: str


class OptionSpec(Struct, frozen=True):
    """One option a table may set: its name, what it does, its default and its legal values as text."""

    name: str
    about: str
    default: str
    values: tuple[str, ...]


class Drawn(Struct, frozen=True):
    """One draw: `result` is uniform in 0 … bound-1; `label` says what it was for."""

    label: str
    bound: int
    result: int


class Draw:
    """Where chance comes from; `below` is the only source, everything else is derived from it.

    Implementations: `shared.rng.KeyedDraw` (real games), scripted draws in tests.
    """

    def below(self, bound: int, label: str) -> int:
        """Return an integer uniform in 0 … bound-1."""
        raise NotImplementedError

    def sample(self, items: Sequence[Item], count: int, label: str) -> tuple[Item, ...]:
        """Return `count` different items in random order: a forward Fisher-Yates shuffle, stopped after `count`.

        Step i swaps position i with position i + below(n - i); the last step of a full shuffle (bound 1) draws nothing.
        """
        pool = list(items)
        for i in range(count):
            bound = len(pool) - i
            if bound > 1:
                j = i + self.below(bound, label)
                pool[i], pool[j] = pool[j], pool[i]
        return tuple(pool[:count])

    def shuffle(self, items: Sequence[Item], label: str) -> tuple[Item, ...]:
        """Return all items in random order."""
        return self.sample(items, len(items), label)


def drawn_sample(items: Sequence[Item], outcome: Sequence[Item], label: str) -> Iterator[Drawn]:
    """Yield the draws by which `Draw.sample(items, len(outcome), label)` gives `outcome`: its inverse.

    Items must differ from each other. Raises ValueError when `outcome` cannot come from `items`.
    """
    pool = list(items)
    for i, item in enumerate(outcome):
        bound = len(pool) - i
        j = pool.index(item, i)
        if bound > 1:
            yield Drawn(label, bound, j - i)
        pool[i], pool[j] = pool[j], pool[i]


class Title(Struct, Generic[Settings, State, Action, Event, View], frozen=True, kw_only=True):
    """One game as the rest of Strata sees it.

    `setup(settings, seats, draw)` gives the first events and may refuse; `decide` gives the events of one action and,
    with `setup`, is the only function that refuses (`Refusal`) or draws; `evolve` applies one event and never
    refuses, draws or looks anything up (its state is None before the first event). `decision` says who must answer
    (None: the game is over), `legal_actions` lists a seat's legal actions completely and in a fixed order, `view` and
    `redact` are the only doors to what a seat (None: a spectator) may know, `determinize` invents one full state that
    a view allows, `disclosed` names the seats that learned something hidden by an event (the actor too when a hidden
    thing was exposed or drawn), `draws` names the draws an event claims to record, `result` ranks the seats.
    `actions` and `events` are the closed unions, `settings` the struct of table options.
    """

    id: str
    name: str
    rules_version: int
    seats: tuple[int, ...]
    settings: type[Settings]
    options: tuple[OptionSpec, ...]
    state: type[State]
    actions: Any
    events: Any
    view_type: type[View]
    pack: Callable[[Settings], PackRef]
    setup: Callable[[Settings, int, Draw], tuple[Event, ...]]
    decide: Callable[[State, int, Action, Draw], tuple[Event, ...]]
    evolve: Callable[[State | None, Event], State]
    decision: Callable[[State], Decision | None]
    legal_actions: Callable[[State, int], tuple[Action, ...]]
    view: Callable[[State, int | None], View]
    redact: Callable[[Event, int | None], Event | None]
    determinize: Callable[[View, Draw], State]
    disclosed: Callable[[State | None, Event], tuple[int, ...]]
    draws: Callable[[State | None, Event], tuple[Drawn, ...]]
    result: Callable[[State], Result | None]

    def parse(self, options: Mapping[str, str]) -> Settings:
        """Read table options given as text; refuses unknown names and impossible values (`Reason.BAD_OPTION`)."""
        specs = {spec.name: spec for spec in self.options}
        for name, value in options.items():
            if name not in specs:
                raise Refusal(
                    Reason.BAD_OPTION, f"{self.name} has no option {name!r}; it has {', '.join(specs) or 'none'}"
                )
            if value not in specs[name].values:
                values = ", ".join(specs[name].values)
                raise Refusal(Reason.BAD_OPTION, f"option {name} cannot be {value!r}; it may be {values}")
        return msgspec.convert(dict(options), self.settings, strict=False)


def unreachable(value: Never) -> Never:
    """Close a `match` over a union: mypy refuses a call that can be reached, and so does the program."""
    raise AssertionError(f"no case for {value!r}")
