"""The bare probe: a grpc.aio server in a process of its own that answers bytes with as many bytes as it is asked for.

Started as `python -m services.cli.bench.echo`; it prints the port it listens on and ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc
import uvloop

SERVICE = "strata.bench.Echo"
METHOD = f"/{SERVICE}/Echo"
_SIZE = 4
_FILLING = bytes(1 << 20)


def request_of(size: int, answer_size: int) -> bytes:
    """Return a request of `size` bytes that asks for an answer of `answer_size` bytes."""
    return answer_size.to_bytes(_SIZE, "big") + bytes(max(0, size - _SIZE))


async def answer(request: bytes, _: Any) -> bytes:
    """Return as many bytes as the request asks for."""
    return _FILLING[: int.from_bytes(request[:_SIZE], "big")]


async def serve() -> None:
    """Serve until standard input is closed."""
    server = grpc.aio.server()
    handlers: Any = {"Echo": grpc.unary_unary_rpc_method_handler(answer)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"listening on 127.0.0.1:{port}", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


if __name__ == "__main__":
    uvloop.run(serve())
