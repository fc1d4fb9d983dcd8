"""The event log: Redis Streams as the only truth, a memory twin, and an embedded store.

`EventLog` is the contract (log.py); `RedisEventLog` and `MemoryEventLog` keep it; `EmbeddedStore` starts a Valkey whose
append-only file lies in a folder of this machine.
"""

from shared.eventlog.embedded import EmbeddedStore, StoreNotStarted
from shared.eventlog.log import (
    Closed,
    Conflict,
    Delivery,
    Entry,
    EventLog,
    LogError,
    Moved,
    StreamKey,
    Torn,
    Trimmed,
    Unavailable,
    WrongShards,
)
from shared.eventlog.memory import MemoryEventLog
from shared.eventlog.redis_log import RedisEventLog

__all__ = [
    "Closed",
    "Conflict",
    "Delivery",
    "EmbeddedStore",
    "Entry",
    "EventLog",
    "LogError",
    "MemoryEventLog",
    "Moved",
    "RedisEventLog",
    "StoreNotStarted",
    "StreamKey",
    "Torn",
    "Trimmed",
    "Unavailable",
    "WrongShards",
]
