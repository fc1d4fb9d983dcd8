"""A stand-in for the front proxy: one port for clients, each call handed on to the service that answers it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import grpc

_STREAMS = ("WatchGame", "WatchTable")


class Front(grpc.GenericRpcHandler):
    """Hands calls on by the package of their service, bytes for bytes."""

    def __init__(self, channels: Mapping[str, grpc.aio.Channel]) -> None:
        """Hand on to these channels, by package."""
        self._channels = channels

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """Return the handler of one method, None if nobody answers it."""
        method = handler_call_details.method
        channel = self._channels.get(method.strip("/").rsplit(".", 1)[0])
        if channel is None:
            return None
        if method.endswith(_STREAMS):
            return grpc.unary_stream_rpc_method_handler(_stream(channel.unary_stream(method)))
        return grpc.unary_unary_rpc_method_handler(_unary(channel.unary_unary(method)))


@contextlib.asynccontextmanager
async def front(targets: Mapping[str, str]) -> AsyncIterator[str]:
    """Listen on a free port for the packages of `targets`; give the address."""
    async with contextlib.AsyncExitStack() as stack:
        channels = {
            package: await stack.enter_async_context(grpc.aio.insecure_channel(target))
            for package, target in targets.items()
        }
        server = grpc.aio.server(handlers=(Front(channels),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(0)


def _unary(call: Any) -> Any:
    async def handle(request: bytes, context: Any) -> bytes:
        try:
            answer: bytes = await call(request, metadata=_metadata(context))
        except grpc.aio.AioRpcError as error:
            await _abort(error, context)
        return answer

    return handle


def _stream(call: Any) -> Any:
    async def handle(request: bytes, context: Any) -> AsyncIterator[bytes]:
        try:
            async for answer in call(request, metadata=_metadata(context)):
                yield answer
        except grpc.aio.AioRpcError as error:
            await _abort(error, context)

    return handle


def _metadata(context: Any) -> list[tuple[str, str]]:
    return [(key, value) for key, value in context.invocation_metadata() if key in ("authorization", "game_id")]


async def _abort(error: grpc.aio.AioRpcError, context: Any) -> None:
    details = [(key, value) for key, value in error.trailing_metadata() if key == "grpc-status-details-bin"]
    await context.abort(error.code(), error.details() or "", tuple(details))
