"""`strata health`: asking whether a server serves, as container engines do every few seconds; so it imports little."""

from __future__ import annotations

import sys
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

HEALTH_SECONDS = 5.0


async def health(target: str) -> bool:
    """Ask a server whether it serves; print what is doubtful about its store."""
    async with grpc.aio.insecure_channel(target, options=(("grpc.enable_http_proxy", 0),)) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        call = stub.Check(health_pb2.HealthCheckRequest(), timeout=HEALTH_SECONDS)
        answer = await call
        for key, value in await call.trailing_metadata():
            if key == "strata-warning":
                print(f"warning: {value if isinstance(value, str) else value.decode()}", file=sys.stderr)
    status = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    print(status)
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
