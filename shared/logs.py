"""Structured logs: one JSON line (or a coloured one on a terminal) per fact, never a secret."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET = ("token", "authorization", "secret", "password", "entropy", "invitation", "key", "seed")


def configure(level: str, *, json: bool) -> None:
    """Set up logging for the process: to stderr, from `level` on, as JSON or for people."""
    colours = sys.stderr.isatty()
    renderer: Any = structlog.processors.JSONRenderer() if json else structlog.dev.ConsoleRenderer(colors=colours)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            hide_secrets,
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(_PresentStderr()),  # type: ignore[arg-type] # write and flush suffice
        cache_logger_on_first_use=True,
    )


class _PresentStderr:
    """Stderr as it is at each line: a logger outlives whoever replaced `sys.stderr` for a while."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()


def hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Blank every field whose name says that it is a secret; a last net, nothing should rely on it."""
    for name in event:
        if any(word in name for word in _SECRET):
            event[name] = "(hidden)"
    return event
