"""A seat that is played from here: it sees what the API shows its player, asks a brain, and submits the answer."""

from __future__ import annotations

import asyncio
import hmac
import secrets
from typing import Any

from services.automata.brains import Brain, brains_of
from services.cli.failing import CommandFailed
from services.cli.title_client import News, TitleClient
from shared.rng import KeyedDraw


class LocalSeat:
    """Seat 0 of a demonstration, played by a brain."""

    seat = 0

    def __init__(
        self, client: TitleClient, game_id: str, brain: str, nonce: str, seed: bytes | None, *, in_turn: bool
    ) -> None:
        """Play as `brain`, with request ids that begin with `nonce` and chance that follows from `seed`.

        `in_turn` lets all others answer first where several seats choose at the same time: what the brain sees then
        does not depend on who was faster, which a game that can be repeated needs. Raises `CommandFailed` for a brain
        that does not exist.
        """
        self._client = client
        self._game_id = game_id
        self._brain = find_brain(client.wire.title.id, brain)
        self._nonce = nonce
        self._seed = seed if seed is not None else secrets.token_bytes(32)
        self._in_turn = in_turn
        self._answers = 0
        self._answered_at = 0

    async def heed(self, news: News) -> None:
        """Answer if the game waits for this seat."""
        decision, version = news.decision, news.commits[-1].version
        if decision is None or self.seat not in decision.seats or version < self._answered_at:
            return
        if self._in_turn and decision.seats != (self.seat,):
            return
        _, decision, legal = await self._client.legal_actions(self._game_id, self.seat)
        if decision is None or not legal:
            return
        action = await self._choose(news.view, legal)
        self._answers += 1
        request_id = f"{self._nonce}-{self._answers}"
        commit = await self._client.submit(self._game_id, self.seat, action, request_id)
        self._answered_at = commit.version

    async def _choose(self, view: Any, legal: tuple[Any, ...]) -> Any:
        """Ask the brain; a slow one thinks beside the event loop."""
        message = f"strata/local-seat/1\0{self._game_id}\0{self._answers}"
        draw = KeyedDraw(hmac.digest(self._seed, message.encode(), "sha256"))
        title = self._client.wire.title
        if self._brain.slow:
            return await asyncio.to_thread(self._brain.choose, title, view, legal, draw)
        return self._brain.choose(title, view, legal, draw)


def find_brain(title: str, name: str) -> Brain:
    """Return a brain by name; raises `CommandFailed` when there is none."""
    brains = brains_of(title)
    if name not in brains:
        raise CommandFailed(f"there is no brain {name!r} for {title}; there are {', '.join(brains)}")
    return brains[name]
