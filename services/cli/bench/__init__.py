"""`strata bench`: what Strata costs beside the bare technology, in one run on one machine (docs/performance.md)."""

from __future__ import annotations

from services.cli.bench.app import command

__all__ = ["command"]
