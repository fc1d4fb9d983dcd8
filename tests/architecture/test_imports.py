"""Who may import whom (docs/decisions.md, README): what keeps rules pure and services apart."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.titles import TITLES

SERVICES = ROOT / "services"
PURE = [folder for title in TITLES for folder in (SERVICES / title.id / "rules", SERVICES / title.id / "content")]
IMPURE = {"random", "time", "datetime", "uuid", "logging", "asyncio", "os", "socket", "threading", "secrets"}
CHAPTERS = {
    "state.py",
    "actions.py",
    "events.py",
    "decisions.py",
    "setup.py",
    "decide.py",
    "evolve.py",
    "legal.py",
    "view.py",
    "scoring.py",
    "__init__.py",
}


def imports(path: Path) -> Iterator[str]:
    """Return the full names of all modules a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def files(folder: Path) -> list[Path]:
    """Return all Python files of a folder, generated code left out."""
    return [path for path in sorted(folder.rglob("*.py")) if "gen" not in path.relative_to(ROOT).parts]


@pytest.mark.parametrize("folder", PURE, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_rules_and_content_are_pure(folder: Path) -> None:
    """They import the standard library (no clocks, chance, I/O, logs), msgspec, the kernel and their siblings."""
    own = f"services.{folder.parent.name}"
    assert files(folder)
    for path in files(folder):
        for name in imports(path):
            top = name.split(".")[0]
            allowed = (
                name.startswith((f"{own}.rules", f"{own}.content", "shared.kernel"))
                or top == "msgspec"
                or (top in sys.stdlib_module_names and top not in IMPURE)
            )
            assert allowed, f"{path.relative_to(ROOT)} imports {name}"


def test_shared_imports_no_service() -> None:
    """What all services share knows none of them."""
    for path in files(ROOT / "shared"):
        assert not [name for name in imports(path) if name.startswith("services")], path


def test_services_do_not_import_each_other() -> None:
    """A service imports no other; but a title's brains may import its rules, and the command line everything."""
    titles = {title.id for title in TITLES}
    for path in files(SERVICES):
        service, *inner = path.relative_to(SERVICES).parts
        for name in imports(path):
            parts = name.split(".")
            if parts[0] != "services" or len(parts) < 2 or parts[1] == service:
                continue
            brain = service == "automata" and inner[0] == "brains" and Path(inner[1]).stem == parts[1]
            assert service == "cli" or (brain and parts[1] in titles and parts[2] in ("rules", "content")), (
                f"{path} imports {name}"
            )


def test_shared_knows_no_game_word() -> None:
    """No title's name, action or event is spoken of in shared/ or in the common and engine protos."""
    texts = {path: path.read_text() for path in [*files(ROOT / "shared"), *(ROOT / "shared").rglob("*.lua")]}
    texts |= {
        path: path.read_text()
        for topic in ("common", "engine")
        for path in (ROOT / "protos/strata" / topic).rglob("*.proto")
    }
    for title in TITLES:
        words = {title.id, title.name, *(case.__name__ for case in (*title.actions.__args__, *title.events.__args__))}
        general = {"GameBegun", "GameEnded", "TurnStarted", "TurnEnded", "PlaceLand"}
        for path, text in texts.items():
            for word in words - general:
                assert word not in text, f"{path.relative_to(ROOT)} speaks of {word}"


def test_every_title_has_the_same_files() -> None:
    """The files that answer one question each have the same names in every title."""
    for title in TITLES:
        folder = SERVICES / title.id
        assert {path.name for path in (folder / "rules").glob("*.py")} >= CHAPTERS
        assert (folder / "app.py").exists()
        assert list((folder / "content").glob("*.toml"))
        assert (ROOT / "docs" / "rules" / f"{title.id.replace('_', '-')}.md").exists()
