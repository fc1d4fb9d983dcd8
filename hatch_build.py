"""Generates the Python code of the wire from protos/ into shared/gen (git-ignored), where it imports as `strata.*`.

As a build hook it runs on every install and wheel; `python hatch_build.py` does the same by hand after a change of a
proto. It touches only files whose content changed and removes what no proto stands behind any more, so that it can
run beside a working server. Stubs for the gRPC half are added where mypy-protobuf is installed: type checking needs
them, running does not.
"""

from __future__ import annotations

import importlib.resources
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from grpc_tools import protoc
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
SOURCE = ROOT / "protos"
TARGET = ROOT / "shared" / "gen"
STUB_SUFFIX = "_pb2_grpc.pyi"


class ProtocHook(BuildHookInterface[Any]):
    """Hatchling's door to `generate`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Generate before hatchling collects files; a source distribution carries the protos instead."""
        del version, build_data
        if self.target_name == "wheel":
            generate()


def generate() -> tuple[Path, ...]:
    """Bring shared/gen in step with protos/; return what was written or removed."""
    protos = sorted(SOURCE.rglob("*.proto"))
    if not protos:
        raise SystemExit(f"there is no .proto file under {SOURCE}")
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name)
        stubs = _compile(protos, fresh)
        return (*_write_changed(fresh), *_remove_stale(fresh, keep_stubs=not stubs))


def _compile(protos: list[Path], fresh: Path) -> bool:
    """Run protoc into `fresh`; return whether stubs of the gRPC half were made."""
    arguments = ["protoc", f"-I{SOURCE}", *(f"-I{folder}" for folder in _includes())]
    arguments += [f"--python_out={fresh}", f"--pyi_out={fresh}", f"--grpc_python_out={fresh}"]
    stub_plugin = _stub_plugin()
    if stub_plugin:
        arguments += [f"--plugin=protoc-gen-mypy_grpc={stub_plugin}", f"--mypy_grpc_out=quiet:{fresh}"]
    status = protoc.main([*arguments, *map(str, protos)])
    if status:
        raise SystemExit(f"protoc failed with status {status}")
    return stub_plugin is not None


def _includes() -> list[Path]:
    """Return where google/protobuf and, where installed, google/rpc and google/api are found."""
    folders = [Path(str(importlib.resources.files("grpc_tools"))) / "_proto"]
    folders += [Path(entry) for entry in sys.path if (Path(entry) / "google" / "rpc" / "status.proto").is_file()]
    return folders


def _stub_plugin() -> str | None:
    """Return the path of mypy-protobuf's gRPC plugin beside this Python, if there is one."""
    return shutil.which("protoc-gen-mypy_grpc", path=str(Path(sys.executable).parent))


def _write_changed(fresh: Path) -> list[Path]:
    written = []
    for made in sorted(path for path in fresh.rglob("*") if path.is_file()):
        place = TARGET / made.relative_to(fresh)
        if place.is_file() and place.read_bytes() == made.read_bytes():
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        # Renamed into place, so that a process importing at this moment never reads half a module.
        half = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.copyfile(made, half)
        half.replace(place)
        written.append(place)
    return written


def _remove_stale(fresh: Path, *, keep_stubs: bool) -> list[Path]:
    removed = []
    for place in sorted(path for pattern in ("*.py", "*.pyi") for path in TARGET.rglob(pattern)):
        made = fresh / place.relative_to(TARGET)
        kept = keep_stubs and place.name.endswith(STUB_SUFFIX) and made.with_suffix(".py").is_file()
        if not made.is_file() and not kept:
            place.unlink()
            removed.append(place)
    for folder in sorted((path for path in TARGET.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return removed


if __name__ == "__main__":
    for changed in generate():
        print(changed.relative_to(ROOT))
