"""From what a seat is asked to its answer: the only place where a brain meets a game.

A brain is given the view of its seat and nothing else. Its chance is keyed by the decision (game, version, seat), so
that whoever thinks about a decision again finds the same answer, and by a secret, so that nobody can foretell it.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import structlog
from prometheus_client import Histogram

from services.automata.brains import EVERY_TITLE, AnyTitle, Brain, brains_of
from services.automata.games import Ask
from shared.rng import KeyedDraw

THREADS = 2
FALLBACK = EVERY_TITLE["random"]
SECONDS = Histogram(
    "strata_brain_seconds",
    "Time a brain took to choose",
    ("title", "brain"),
    buckets=(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1),
)

_log = structlog.get_logger("automata")


class UnknownBrain(Exception):
    """A seat is held by a brain that this version does not have; a newer process may."""


class Thinker:
    """Asks brains; slow ones think in threads beside the event loop."""

    def __init__(self, secret: bytes, brains: Mapping[str, Mapping[str, Brain]] | None = None) -> None:
        """Key all chance by `secret`, the same in every process; `brains` by title replace the usual ones."""
        self._secret = secret
        self._brains = brains
        self._threads = ThreadPoolExecutor(THREADS, "brain")

    def close(self) -> None:
        """Let go of the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def choose(self, title: AnyTitle, game_id: str, ask: Ask, state: Any) -> Any:
        """Return the action by which a seat answers what it was asked in `state`.

        A brain that fails or breaks the rules is reported, and a random legal action takes the place of its answer, so
        that nobody waits for it. Raises `UnknownBrain`.
        """
        brain = (self._brains or {title.id: brains_of(title.id)}).get(title.id, {}).get(ask.brain)
        if brain is None:
            raise UnknownBrain(f"there is no brain {ask.brain!r} for {title.id}")
        view, legal = title.view(state, ask.seat), title.legal_actions(state, ask.seat)
        seed = self._seed(game_id, ask)
        started = time.perf_counter()
        try:
            action = await self._ask(brain, title, view, legal, seed)
        except Exception:  # noqa: BLE001 - whatever is wrong with a brain, the game goes on
            _log.exception("brain_failed", game_id=game_id, version=ask.version, seat=ask.seat, brain=ask.brain)
            return FALLBACK.choose(title, view, legal, KeyedDraw(seed))
        SECONDS.labels(title.id, ask.brain).observe(time.perf_counter() - started)
        if action in legal:
            return action
        _log.error("brain_broke_rules", game_id=game_id, version=ask.version, seat=ask.seat, brain=ask.brain)
        return FALLBACK.choose(title, view, legal, KeyedDraw(seed))

    async def _ask(self, brain: Brain, title: AnyTitle, view: Any, legal: tuple[Any, ...], seed: bytes) -> Any:
        if not brain.slow:
            return brain.choose(title, view, legal, KeyedDraw(seed))
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, brain.choose, title, view, legal, KeyedDraw(seed))

    def _seed(self, game_id: str, ask: Ask) -> bytes:
        message = f"strata/brain/1\0{game_id}\0{ask.version}\0{ask.seat}"
        return hmac.digest(self._secret, message.encode(), "sha256")
