"""The feed entries this process has taken on, shared out among all automata processes by a consumer group.

An entry is held until its work is done, and kept fresh meanwhile, so that nobody takes it over who need not. If this
process dies, its entries grow stale and another one reclaims them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from shared.eventlog.log import Delivery, EventLog

GROUP = "automata"
WAIT_SECONDS = 1.0


class Claims:
    """Deliveries by (shard, id)."""

    def __init__(self, log: EventLog, consumer: str, idle: float) -> None:
        """Take entries as `consumer`; others may take over what was not kept fresh for `idle` seconds."""
        self._log = log
        self._consumer = consumer
        self._shards = tuple(range(log.shards))
        self._held: dict[tuple[int, str], Delivery] = {}
        self.idle = idle

    def __len__(self) -> int:
        """Return how many entries are held."""
        return len(self._held)

    async def take_new(self) -> list[Delivery]:
        """Wait a moment for new entries and hold them."""
        return self._hold(await self._log.claim(GROUP, self._consumer, self._shards, WAIT_SECONDS))

    async def take_over(self) -> list[Delivery]:
        """Hold what others left behind; raises `Trimmed` when some of it is lost."""
        return self._hold(await self._log.reclaim(GROUP, self._consumer, self._shards, self.idle))

    async def keep_fresh(self) -> None:
        """Renew everything held; what somebody else has taken over is let go."""
        held = list(self._held.values())
        still_ours = await asyncio.gather(*(self._log.renew(GROUP, self._consumer, delivery) for delivery in held))
        self.let_go(delivery for delivery, ours in zip(held, still_ours, strict=True) if not ours)

    async def done(self, deliveries: Iterable[Delivery]) -> None:
        """Say that these need no more work; they are let go even if the store cannot be told now."""
        finished = tuple(deliveries)
        self.let_go(finished)
        await asyncio.gather(*(self._log.ack(GROUP, delivery) for delivery in finished))

    def let_go(self, deliveries: Iterable[Delivery]) -> None:
        """Hold these no longer; they come back to somebody once they are stale."""
        for delivery in deliveries:
            self._held.pop((delivery.shard, delivery.id), None)

    def _hold(self, deliveries: list[Delivery]) -> list[Delivery]:
        for delivery in deliveries:
            self._held[delivery.shard, delivery.id] = delivery
        return deliveries
