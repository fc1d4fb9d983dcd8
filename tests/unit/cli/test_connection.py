"""Which lost calls are made again, for how long, and what people are told meanwhile."""

from __future__ import annotations

from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError, Metadata

from services.cli.connection import Connection
from services.cli.failing import CommandFailed
from shared.errors import Fault, Problem


def lost(code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE, trailers: Any = ()) -> AioRpcError:
    """Return the error of a call that failed."""
    return AioRpcError(code, Metadata(), Metadata(*trailers), "it failed")


class Flaky:
    """Fails so many times, then answers."""

    def __init__(self, times: int, error: AioRpcError) -> None:
        """Fail `times` times with `error`."""
        self.times, self.error, self.calls = times, error, 0

    async def __call__(self) -> str:
        """Fail or answer."""
        self.calls += 1
        if self.calls <= self.times:
            raise self.error
        return "answer"


async def test_a_lost_call_is_made_again() -> None:
    """A server that comes back in time is as good as one that never went; people hear of a longer wait once."""
    said: list[str] = []
    flaky = Flaky(4, lost())
    assert await Connection("nowhere", patience=10, say=said.append).repeat(flaky) == "answer"
    assert flaky.calls == 5
    assert said == ["The server does not answer; trying again …", "The server answers again."]


@pytest.mark.parametrize("code", [grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED])
async def test_other_losses_count_too(code: grpc.StatusCode) -> None:
    """Too slow and stopping leave the outcome unknown as well."""
    assert await Connection("nowhere", patience=10).repeat(Flaky(1, lost(code))) == "answer"


async def test_a_refusal_is_final() -> None:
    """What the server refused it would refuse again."""
    flaky = Flaky(9, lost(grpc.StatusCode.FAILED_PRECONDITION))
    with pytest.raises(AioRpcError):
        await Connection("nowhere", patience=10).repeat(flaky)
    assert flaky.calls == 1


async def test_one_too_slow_to_watch_watches_again() -> None:
    """TOO_SLOW ends a watch, which goes on from its last version."""
    error = lost(grpc.StatusCode.RESOURCE_EXHAUSTED, Problem(Fault.TOO_SLOW, "too slow").trailers())
    assert await Connection("nowhere", patience=10).repeat(Flaky(1, error)) == "answer"


async def test_patience_ends() -> None:
    """After the patience is over the command fails in one sentence; without any it fails at once."""
    with pytest.raises(CommandFailed, match="not answered"):
        await Connection("nowhere", patience=0.2).repeat(Flaky(99, lost()))
    flaky = Flaky(9, lost())
    with pytest.raises(AioRpcError):
        await Connection("nowhere").repeat(flaky)
    assert flaky.calls == 1


async def test_a_stream_goes_on_where_it_was_lost() -> None:
    """Messages come once each and in order, through two losses."""
    seen: list[int] = []

    async def watch() -> Any:
        for number in range(len(seen) + 1, 7):
            yield number
            if number in (2, 4):
                raise lost()

    async for number in Connection("nowhere", patience=10).follow(watch):
        seen.append(number)  # noqa: PERF401 - what was seen decides where the next watch begins
    assert seen == [1, 2, 3, 4, 5, 6]
