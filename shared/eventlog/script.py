"""A Lua script of the log: called by its digest, and sent whole when the store does not know it (any more)."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from redis.exceptions import NoScriptError

from shared.eventlog.group_commit import Command
from shared.eventlog.store import Refused


class Script:
    """One script that lies beside this module."""

    def __init__(self, name: str) -> None:
        """Read the script."""
        self._source = files(__package__).joinpath(name).read_bytes()
        self._digest = hashlib.sha1(self._source, usedforsecurity=False).hexdigest()

    async def run(self, run: Callable[[Command], Awaitable[Any]], keys: int, *arguments: str | bytes | int) -> Any:
        """Call the script through `run` with `keys` keys and then arguments; a store that was restarted learns it."""
        try:
            return await run(("EVALSHA", self._digest, keys, *arguments))
        except Refused as refused:
            if not isinstance(refused.cause, NoScriptError):
                raise
            return await run(("EVAL", self._source, keys, *arguments))
