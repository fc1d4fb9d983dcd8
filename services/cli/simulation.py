"""Playing many games on the rules alone, without services or a log, in several processes at once.

Every game follows from a seed and its number, so that one that goes wrong can be played again by itself. A game goes
wrong when a seat that must act has no legal action, a legal action is refused, anything raises, the events do not fold
to the state they led to, or the score sheet does not add up. The first one ends the run with status 1.
"""

from __future__ import annotations

import hashlib
import importlib
import multiprocessing
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from services.automata.brains import AnyTitle, Brain, brains_of
from services.cli.failing import CommandFailed, explain
from services.cli.titles import TITLES
from shared.kernel import Refusal, Result
from shared.rng import KeyedDraw

LONGEST_GAME = 100_000
CHUNK = 4


class Plan(Struct, frozen=True):
    """What every game of a run has in common; `brains` go by seat and move on by one seat with each game."""

    title: str
    players: int
    brains: tuple[str, ...]
    seed: str
    options: dict[str, str] = {}

    def seats(self, number: int) -> tuple[str, ...]:
        """Return the brain of each seat in game `number`."""
        return tuple(self.brains[(seat + number) % len(self.brains)] for seat in range(self.players))


class Outcome(Struct, frozen=True):
    """One game: its number, its answers, and the total and rank of each seat, or what went wrong."""

    number: int
    actions: int = 0
    totals: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()
    wrong: str = ""


class Spread(Struct, frozen=True):
    """How totals are spread; percentiles are totals that occurred."""

    mean: float
    sd: float
    min: int
    p10: int
    p50: int
    p90: int
    max: int


class Report(Struct, frozen=True, omit_defaults=True):
    """A run: `score` is over all seats; `wins` and `means` go by brain where several played (a shared win counts)."""

    games: int
    seconds: float
    actions: int
    score: Spread
    title: str
    players: int
    brains: tuple[str, ...]
    seed: str
    wins: dict[str, int] = {}
    means: dict[str, float] = {}


class WentWrong(Exception):
    """A game broke the contract of its title."""


def simulate(
    plan: Plan, games: int, jobs: int = 1, first: int = 0, progress: Callable[[], object] = lambda: None
) -> Report:
    """Play `games` games from number `first` on in `jobs` processes; `progress` is called after each.

    Raises `CommandFailed` for a plan that cannot be played and for the first game that goes wrong.
    """
    _check(plan)
    started = time.perf_counter()
    outcomes = []
    for outcome in _outcomes(plan, range(first, first + games), jobs):
        if outcome.wrong:
            again = f"--seed {plan.seed} --first {outcome.number} --games 1"
            raise CommandFailed(f"game {outcome.number} of seed {plan.seed} went wrong ({again}): {outcome.wrong}")
        outcomes.append(outcome)
        progress()
    return _report(plan, outcomes, time.perf_counter() - started)


def play(plan: Plan, number: int) -> Outcome:
    """Play one game to its end; whatever goes wrong is in the outcome."""
    title, brains = _title(plan.title), brains_of(plan.title)
    try:
        actions, result = _play(title, plan, [brains[name] for name in plan.seats(number)], number)
    except Exception as error:  # noqa: BLE001 - a run reports what went wrong in which game
        return Outcome(number, wrong=f"{type(error).__name__}: {error}")
    totals = tuple(standing.total for standing in result.standings)
    return Outcome(number, actions, totals, tuple(standing.rank for standing in result.standings))


def _outcomes(plan: Plan, numbers: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Yield the outcome of each game as it ends."""
    if jobs == 1:
        yield from map(partial(play, plan), numbers)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(partial(play, plan), numbers, CHUNK)


def _play(title: AnyTitle, plan: Plan, brains: Sequence[Brain], number: int) -> tuple[int, Result]:
    draw, chance = (KeyedDraw(_seed(plan.seed, number, what)) for what in ("rules", "brains"))
    events = list(title.setup(title.parse(plan.options), len(brains), draw))
    state = _fold(title, None, events)
    for actions in range(LONGEST_GAME):
        decision = title.decision(state)
        if decision is None:
            return actions, _result(title, state, events)
        seat = decision.seats[0]
        legal = title.legal_actions(state, seat)
        if not legal:
            raise WentWrong(f"seat {seat} must {decision.kind} after {actions} actions and has no legal action")
        view = None if brains[seat].blind else title.view(state, seat)
        happened = title.decide(state, seat, brains[seat].choose(title, view, legal, chance), draw)
        state = _fold(title, state, happened)
        events += happened
    raise WentWrong(f"the game is not over after {LONGEST_GAME} actions")


def _fold(title: AnyTitle, state: Any, events: Iterable[Any]) -> Any:
    for event in events:
        state = title.evolve(state, event)
    return state


def _result(title: AnyTitle, state: Any, events: Iterable[Any]) -> Result:
    """Return the result of a game that is over, once its record has been checked."""
    result = title.result(state)
    if result is None:
        raise WentWrong("the game is over and has no result")
    if _fold(title, None, events) != state:
        raise WentWrong("the events do not fold to the state they led to")
    for standing in result.standings:
        if sum(line.points for line in standing.lines) != standing.total:
            raise WentWrong(f"the score sheet of seat {standing.seat} does not add up to {standing.total}")
    return result


def _seed(seed: str, number: int, what: str) -> bytes:
    return hashlib.sha256(f"strata/simulate/1\0{seed}\0{number}\0{what}".encode()).digest()


def _title(name: str) -> AnyTitle:
    if name not in TITLES:
        raise CommandFailed(f"there is no title {name!r}; there are {', '.join(TITLES)}")
    title: AnyTitle = importlib.import_module(f"services.{name}.rules").TITLE
    return title


def _check(plan: Plan) -> None:
    """Refuse what cannot be played before any process is started."""
    title, known = _title(plan.title), brains_of(plan.title)
    if unknown := [name for name in plan.brains if name not in known]:
        raise CommandFailed(f"there is no brain {unknown[0]!r} for {plan.title}; there are {', '.join(known)}")
    if len(plan.brains) > plan.players:
        raise CommandFailed(f"{len(plan.brains)} brains need as many seats, there are {plan.players}")
    try:
        title.setup(title.parse(plan.options), plan.players, KeyedDraw(_seed(plan.seed, 0, "rules")))
    except Refusal as refusal:
        raise CommandFailed(explain(refusal)) from refusal


def _report(plan: Plan, outcomes: Sequence[Outcome], seconds: float) -> Report:
    totals: dict[str, list[int]] = {name: [] for name in plan.brains}
    wins: Counter[str] = Counter(dict.fromkeys(plan.brains, 0))
    for outcome in outcomes:
        brains = plan.seats(outcome.number)
        for brain, total in zip(brains, outcome.totals, strict=True):
            totals[brain].append(total)
        wins.update({brain for brain, rank in zip(brains, outcome.ranks, strict=True) if rank == 1})
    several = len(totals) > 1
    return Report(
        games=len(outcomes),
        seconds=round(seconds, 3),
        actions=sum(outcome.actions for outcome in outcomes),
        score=spread([total for found in totals.values() for total in found]),
        title=plan.title,
        players=plan.players,
        brains=plan.brains,
        seed=plan.seed,
        wins=dict(wins) if several else {},
        means={brain: round(statistics.fmean(found), 2) for brain, found in totals.items()} if several else {},
    )


def spread(totals: Sequence[int]) -> Spread:
    """Describe totals, at least one; a percentile is the smallest total that so many are not above."""
    ordered = sorted(totals)

    def percentile(percent: int) -> int:
        return ordered[-(-percent * len(ordered) // 100) - 1]

    return Spread(
        mean=round(statistics.fmean(ordered), 2),
        sd=round(statistics.pstdev(ordered), 2),
        min=ordered[0],
        p10=percentile(10),
        p50=percentile(50),
        p90=percentile(90),
        max=ordered[-1],
    )
