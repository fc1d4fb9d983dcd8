"""How a command ends when it cannot do what it was asked: one clear sentence on stderr and a status that is not 0.

A traceback tells a person nothing; `STRATA_LOG_LEVEL=debug` shows it all the same.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Coroutine
from typing import Any, NoReturn

INTERRUPTED = 130


class CommandFailed(Exception):
    """A command cannot go on; the text is the sentence for its user."""


def run(command: Coroutine[Any, Any, bool], *, fast: bool = False) -> NoReturn:
    """Run a command to its end and leave the process: status 0 if it returned True, 1 if False or failed.

    `fast` runs it on uvloop, for servers.
    """
    try:
        if fast:
            import uvloop

            done = uvloop.run(command)
        else:
            done = asyncio.run(command)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last place that can say anything about it
        fail(error)
    sys.exit(0 if done else 1)


def fail(error: Exception) -> NoReturn:
    """Say why a command failed and leave the process with status 1."""
    if os.environ.get("STRATA_LOG_LEVEL", "").lower() == "debug":
        traceback.print_exception(error)
    print(f"strata: {explain(error)}", file=sys.stderr)
    sys.exit(1)


def explain(error: Exception) -> str:
    """Return one sentence for a person: what failed, with the stable reason where there is one."""
    import grpc

    from shared.errors import Problem

    match error:
        case CommandFailed() | OSError():
            return str(error) or type(error).__name__
        case grpc.aio.AioRpcError():
            return _call_failed(error)
        case Problem():
            return f"{error.reason}: {error.sentence}"
        case _:
            return _of_our_own(error)


def _call_failed(error: Any) -> str:
    from shared.errors import reason_of

    reason, sentence = reason_of(error), str(error.details() or "no details").strip()
    if not reason and sentence.startswith("failed to connect"):
        return "UNAVAILABLE: no server answers there; is one running? Start one with: strata up"
    return f"{reason or error.code().name}: {sentence}"


def _of_our_own(error: Exception) -> str:
    from shared.config import ConfigError
    from shared.eventlog import LogError, StoreNotStarted
    from shared.kernel import Refusal

    match error:
        case ConfigError() | StoreNotStarted() | LogError():
            return str(error) or type(error).__name__
        case Refusal():
            return f"{error.reason.name}: {error.sentence}"
        case _:
            return f"something is wrong in strata itself ({type(error).__name__}: {error})"
