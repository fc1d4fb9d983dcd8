"""Which machine the figures are from, and how much CPU time a process has used."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

import grpc


def name(store: str = "") -> str:
    """Return one line about the machine and what runs on it; `store` names the server that was embedded."""
    hardware = f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
    software = (f"Python {platform.python_version()}", f"grpcio {grpc.__version__}", store)
    return f"{hardware}; {', '.join(filter(None, software))}"


def cpu_seconds(pid: int) -> float:
    """Return the CPU time, user and system, that another process has used so far."""
    try:
        # Linux's clock of a process (MAKE_PROCESS_CPUCLOCK): exact, where ps counts in seconds.
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        ps = [shutil.which("ps") or "ps", "-o", "time=", "-p", str(pid)]
        return _seconds(subprocess.run(ps, capture_output=True, text=True, check=True).stdout)


def _seconds(text: str) -> float:
    """Read `[[days-]hours:]minutes:seconds` as ps prints it."""
    days, _, clock = text.strip().rpartition("-")
    total = 0.0
    for part in clock.split(":"):
        total = total * 60 + float(part)
    return total + int(days or 0) * 86_400


def _processor() -> str:
    """Return what the processor calls itself."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
