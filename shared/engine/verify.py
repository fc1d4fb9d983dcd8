"""Whether the chance of a finished game was honest, judged from its public record alone.

Nothing is taken on trust but the record itself: the revealed server seed must be the one that was committed to, every
recorded draw must follow from that seed, and the events must say exactly what was drawn. For that no rule is run that
decides: events are folded, and the title tells which draws an event claims. Then the record is played again, action by
action, and every commit must come out as recorded; a record of other rules or another pack than are at hand passes only
with the release that has them. The algorithm is written down in docs/fairness.md, so that anybody can check the same
record with a program of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from shared.engine.platform import GameCreated, SeedRevealed, Undone
from shared.engine.title_wire import AnyCommit, AnyTitle
from shared.kernel import Drawn, Refusal
from shared.rng import DrawRecord, KeyedDraw, commitment, draw_below, game_seed

LARGEST_BOUND = 1 << 32

_CANNOT_FOLD = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, AssertionError)
"""What folding a falsified record may run into; a title is not asked to survive events that never happened."""


class Difference(Struct, frozen=True):
    """The first place where a record is not honest: the version, the draw (if it is about one), and what is wrong."""

    version: int
    sentence: str
    counter: int | None = None
    label: str | None = None


class Verdict(Struct, frozen=True):
    """What was found: how many commits and draws were checked, and the first difference, None if all is honest."""

    commits: int
    draws: int
    difference: Difference | None

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return self.difference is None


def verify(title: AnyTitle, commits: Sequence[AnyCommit], published: bytes | None = None) -> Verdict:
    """Check the whole record of a finished game; `published` is the commitment its table showed, if known."""
    return Verdict(
        commits=len(commits),
        draws=sum(len(commit.draws) for commit in commits),
        difference=next(_differences(title, commits, published), None),
    )


def _differences(title: AnyTitle, commits: Sequence[AnyCommit], published: bytes | None) -> Iterator[Difference]:
    """Yield what is wrong, in the order of the record; after the first one the rest means little."""
    yield from _gaps(commits)
    yield from _misplaced(commits)
    created = next((fact for fact in commits[0].platform_events if isinstance(fact, GameCreated)), None)
    if created is None:
        yield Difference(1, "the first commit does not say how the game was created")
        return
    if published is not None and published != created.commitment:
        yield Difference(1, "the game was created with another commitment than its table published")
    revealed = next(_revealed(commits), None)
    if revealed is None:
        yield Difference(len(commits), "the server seed has not been revealed; that happens when the game ends")
        return
    yield from _secret(created, *revealed)
    seed = game_seed(revealed[1].server_seed, created.entropies)
    yield from _chance(title, commits, seed)
    if created.rules_version != title.rules_version or created.pack != _pack_at_hand(title, created):
        yield Difference(
            1, "the record names other rules or another pack than are at hand, so it cannot be played again"
        )
        return
    yield from _play(title, commits, created, seed)


def _gaps(commits: Sequence[AnyCommit]) -> Iterator[Difference]:
    """The record must be whole: versions 1, 2, 3 …"""
    if not commits:
        yield Difference(0, "the record is empty")
    for expected, commit in enumerate(commits, 1):
        if commit.version != expected:
            yield Difference(expected, f"the record has version {commit.version} where version {expected} belongs")


def _misplaced(commits: Sequence[AnyCommit]) -> Iterator[Difference]:
    """A game is created once, with the pack it begins with, never goes back to before that, and reveals one seed."""
    for kind in (GameCreated, SeedRevealed):
        if sum(isinstance(fact, kind) for commit in commits for fact in commit.platform_events) > 1:
            yield Difference(len(commits), f"the record holds {kind.__name__} more than once")
    for commit in commits:
        for fact in commit.platform_events:
            if isinstance(fact, GameCreated) and commit.version != 1:
                yield Difference(commit.version, "the game was created a second time")
            if isinstance(fact, GameCreated) and fact.pack != getattr(
                next(iter(commit.events), None), "pack", fact.pack
            ):
                yield Difference(commit.version, "the game began with another pack than it was created with")
            if isinstance(fact, Undone) and not 1 <= fact.to < commit.version:
                yield Difference(commit.version, f"the game cannot go back to version {fact.to}")


def _revealed(commits: Sequence[AnyCommit]) -> Iterator[tuple[int, SeedRevealed]]:
    for commit in commits:
        for fact in commit.platform_events:
            if isinstance(fact, SeedRevealed):
                yield commit.version, fact


def _secret(created: GameCreated, version: int, revealed: SeedRevealed) -> Iterator[Difference]:
    """The seed must be the one whose hash was published before anybody gave entropy."""
    if commitment(revealed.server_seed) != created.commitment:
        yield Difference(version, "the revealed server seed is not the one that was committed to")


def _pack_at_hand(title: AnyTitle, created: GameCreated) -> Any:
    try:
        return title.pack(title.parse(created.options))
    except Refusal:
        return None


def _play(title: AnyTitle, commits: Sequence[AnyCommit], created: GameCreated, seed: bytes) -> Iterator[Difference]:
    """Play the record again: each commit must be what its action, or the set-up, gives with the game's own draws."""
    kept: list[_Kept] = []
    for commit in commits:
        undone = next((fact for fact in commit.platform_events if isinstance(fact, Undone)), None)
        if undone is not None:
            kept = [one for one in kept if one.version <= undone.to]
        state, draw = kept[-1].state if kept else None, KeyedDraw(seed, sum(one.draws for one in kept))
        try:
            events = _played(title, commit, created, state, draw)
        except (Refusal, *_CANNOT_FOLD) as error:
            yield Difference(commit.version, f"the rules do not allow this ({error})")
            return
        if events != commit.events or tuple(draw.records) != commit.draws:
            yield Difference(commit.version, "the rules give other events or draws than the record")
            return
        for event in events:
            state = title.evolve(state, event)
        kept.append(_Kept(commit.version, len(commit.draws), state))


def _played(title: AnyTitle, commit: AnyCommit, created: GameCreated, state: Any, draw: KeyedDraw) -> tuple[Any, ...]:
    """Return the events that a commit should have."""
    if commit.version == 1:
        return title.setup(title.parse(created.options), len(created.seats), draw)
    if commit.action is None:
        return ()
    return title.decide(state, -1 if commit.seat is None else commit.seat, commit.action, draw)


class _Kept(Struct, frozen=True):
    """A commit that was not undone: how many draws it made, and the title's state after it."""

    version: int
    draws: int
    state: Any


def _chance(title: AnyTitle, commits: Sequence[AnyCommit], seed: bytes) -> Iterator[Difference]:
    """Walk through the record, following what was undone, and check every draw and what was made of it."""
    kept: list[_Kept] = []
    known_since: int | None = None
    for commit in commits:
        undone = next((fact for fact in commit.platform_events if isinstance(fact, Undone)), None)
        if undone is not None:
            kept = [one for one in kept if one.version <= undone.to]
        if known_since is not None and commit.draws:
            yield Difference(commit.version, f"draws were made after the seed was revealed in version {known_since}")
        yield from _derived(commit, seed, sum(one.draws for one in kept))
        state, claimed, trouble = _claimed(title, commit, kept[-1].state if kept else None)
        if trouble:
            yield from _mistakes(commit, claimed)
            yield Difference(commit.version, f"the events cannot have happened like this ({trouble})")
            return
        yield from _told(commit, claimed)
        kept.append(_Kept(commit.version, len(commit.draws), state))
        if any(isinstance(fact, SeedRevealed) for fact in commit.platform_events):
            known_since = commit.version


def _derived(commit: AnyCommit, seed: bytes, counter: int) -> Iterator[Difference]:
    """Every recorded draw must be the next one, and have the value that the seed gives it."""
    for expected, record in enumerate(commit.draws, counter):
        if record.counter != expected:
            sentence = f"draw {record.counter} is recorded where draw {expected} belongs"
        elif not 1 <= record.bound <= LARGEST_BOUND:
            sentence = f"the bound {record.bound} is not from 1 to {LARGEST_BOUND}"
        elif (value := draw_below(seed, record.counter, record.label, record.bound)) != record.result:
            sentence = f"the record says {record.result}, the seed gives {value}"
        else:
            continue
        yield Difference(commit.version, sentence, record.counter, record.label)


def _claimed(title: AnyTitle, commit: AnyCommit, state: Any) -> tuple[Any, list[Drawn], str]:
    """Fold the commit's events; return the state they lead to, the draws they claim in order, and what went wrong."""
    claimed: list[Drawn] = []
    for event in commit.events:
        try:
            claimed += title.draws(state, event)
            state = title.evolve(state, event)
        except _CANNOT_FOLD as error:
            return state, claimed, str(error) or type(error).__name__
    return state, claimed, ""


def _told(commit: AnyCommit, claimed: Sequence[Drawn]) -> Iterator[Difference]:
    """The events must tell exactly the recorded draws."""
    yield from _mistakes(commit, claimed)
    if len(claimed) > len(commit.draws):
        told = claimed[len(commit.draws)]
        sentence = f"the events tell {len(claimed)} draws, the record has {len(commit.draws)}"
        yield Difference(commit.version, sentence, None, told.label)
    elif len(claimed) < len(commit.draws):
        spare = commit.draws[len(claimed)]
        sentence = f"the record has {len(commit.draws)} draws, the events tell {len(claimed)}"
        yield Difference(commit.version, sentence, spare.counter, spare.label)


def _mistakes(commit: AnyCommit, claimed: Sequence[Drawn]) -> Iterator[Difference]:
    for record, told in zip(commit.draws, claimed, strict=False):
        if (record.label, record.bound, record.result) != (told.label, told.bound, told.result):
            yield _mistold(commit.version, record, told)


def _mistold(version: int, record: DrawRecord, told: Drawn) -> Difference:
    if (record.label, record.bound) != (told.label, told.bound):
        sentence = f"the events tell a draw for {told.label!r} below {told.bound}, not below {record.bound}"
    else:
        sentence = f"the draw gave {record.result}, the events tell {told.result}"
    return Difference(version, sentence, record.counter, record.label)
