"""What happens around every call: who calls, how large the message is, what a failure looks like, what is counted.

The one place that turns exceptions into gRPC statuses: `Problem` and `Refusal` keep their reason, a store that cannot
be reached is UNAVAILABLE, anything unforeseen is INTERNAL without details (those go to the log).
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import structlog
from google.protobuf.message import DecodeError

from shared import metrics
from shared.auth import Tokens, current_caller
from shared.errors import Fault, Problem
from shared.eventlog.log import Unavailable
from shared.kernel import Refusal

_log = structlog.get_logger("calls")
_BEARER = "Bearer "
_UNREADABLE = object()
_NAMED = ("game_id", "table_id", "seat", "request_id")
Handler = Any
"""A grpc.RpcMethodHandler, whose type parameters say nothing here."""


class Guard(grpc.aio.ServerInterceptor):
    """Wraps every method of a server; `open_methods` are method or service prefixes that need no token."""

    def __init__(self, tokens: Tokens, message_limit: int, open_methods: tuple[str, ...] = ()) -> None:
        """Check tokens with `tokens` and refuse messages over `message_limit` bytes."""
        self._tokens = tokens
        self._limit = message_limit
        self._open = ("/grpc.", *open_methods)
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Give grpc the wrapped handler of a method, wrapped once and kept."""
        method = handler_call_details.method
        known = self._wrapped.get(method)
        if known is not None:
            return known
        handler = await continuation(handler_call_details)
        if handler is None or method.startswith("/grpc."):
            return handler
        wrapped = self._wrap(method, handler)
        self._wrapped[method] = wrapped
        return wrapped

    def _wrap(self, method: str, handler: Handler) -> Handler:
        is_open = method.startswith(self._open)
        finished = metrics.CALLS.labels(method, "OK")
        seconds = metrics.CALL_SECONDS.labels(method)

        def read(data: bytes) -> Any:
            try:
                return handler.request_deserializer(data)
            except DecodeError:
                return _UNREADABLE

        def enter(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
            if request is _UNREADABLE:
                raise Problem(Fault.BAD_REQUEST, "the bytes sent are no message of this method")
            size = request.ByteSize()
            if size > self._limit:
                raise Problem(Fault.MESSAGE_TOO_LARGE, f"the message has {size} bytes, the limit is {self._limit}")
            current_caller.set(None if is_open else self._tokens.verify(_bearer(context)))

        async def unary(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            started = time.perf_counter()
            try:
                enter(request, context)
                response = await handler.unary_unary(request, context)
            except Exception as error:  # noqa: BLE001 - whatever it is becomes a status
                await _fail(method, request, error, context)
            seconds.observe(time.perf_counter() - started)
            finished.inc()
            return response

        async def stream(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
            try:
                enter(request, context)
                async for response in handler.unary_stream(request, context):
                    yield response
            except Exception as error:  # noqa: BLE001 - whatever it is becomes a status
                await _fail(method, request, error, context)
            finished.inc()

        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(unary, read, handler.response_serializer)
        return grpc.unary_stream_rpc_method_handler(stream, read, handler.response_serializer)


def _bearer(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """Return the token of a call, from its `authorization` metadata."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization":
            text = value if isinstance(value, str) else value.decode("latin-1")
            if text.startswith(_BEARER):
                return text[len(_BEARER) :]
            raise Problem(Fault.BAD_TOKEN, "the authorization header must read: Bearer <access_token>")
    raise Problem(Fault.NO_TOKEN, "send a token: authorization: Bearer <access_token>")


async def _fail(method: str, request: Any, error: Exception, context: grpc.aio.ServicerContext[Any, Any]) -> None:
    """End the call with the status its exception stands for."""
    if isinstance(error, grpc.aio.AbortError):
        raise error
    problem = as_problem(error)
    metrics.CALLS.labels(method, problem.code.name if problem else "INTERNAL").inc()
    if problem is None:
        _log.error("call_failed", method=method, exc_info=error, **_about(request))
        await context.abort(grpc.StatusCode.INTERNAL, "something went wrong here; the operator's log says what")
    _log.debug("call_refused", method=method, reason=problem.reason, sentence=problem.sentence, **_about(request))
    await context.abort(problem.code, problem.sentence, problem.trailers())


def _about(request: Any) -> dict[str, Any]:
    """Return which game, table, seat and request a call was about, for the log; long values are cut."""
    if request is _UNREADABLE:
        return {}
    fields = (field for field in _NAMED if field in request.DESCRIPTOR.fields_by_name)
    return {field: value[:64] if isinstance(value := getattr(request, field), str) else value for field in fields}


def as_problem(error: Exception) -> Problem | None:
    """Return what a client may know of an exception, or None if it is unforeseen."""
    match error:
        case Problem():
            return error
        case Refusal():
            return Problem.of(error)
        case Unavailable():
            return Problem(
                Fault.STORE_UNAVAILABLE, "the store cannot be reached; repeat the call with the same request_id"
            )
        case _:
            return None
