"""Imports go one way: a room may import the rooms before it in this list, and itself."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "repeat_reminder"
ROOMS = [
    "errors", "workers", "schemas", "events", "jsontext", "batches", "canonical", "policies",
    "engine", "config", "source", "formats", "validate", "convert", "explain", "parity", "render",
    "api", "check", "tune", "pytest_plugin", "cli",
]  # fmt: skip


def room(path: Path) -> str:
    """The folder or module of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """First-party rooms a file imports, at any depth, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module="repeat_reminder"):
                names |= {alias.name for alias in node.names} - {"__version__"}
            case ast.ImportFrom(module=str(module)) if module.startswith("repeat_reminder."):
                names.add(module.split(".")[1])
            case ast.Import(names=aliases):
                ours = (a.name for a in aliases if a.name.startswith("repeat_reminder."))
                names |= {name.split(".")[1] for name in ours}
            case _:
                pass
    return names


FILES = sorted(p for p in PACKAGE.rglob("*.py") if room(p) not in {"__init__", "__main__"})


TERMINAL_ONLY = {"typer": {"cli"}, "rich": {"cli", "render"}}
"""Packages that only these rooms may import."""


def wrong_ways(room_name: str, path: Path) -> set[str]:
    """What a file of a room imports and must not."""
    return imported(path) - set(ROOMS[: ROOMS.index(room_name) + 1])


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_one_way(path: Path) -> None:
    assert room(path) in ROOMS, f"{room(path)} is no room: add it to ROOMS where it belongs"
    assert not wrong_ways(room(path), path)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_the_terminal_stays_in_its_rooms(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    packages = {module.partition(".")[0] for module in modules}
    assert all(room(path) in rooms for name, rooms in TERMINAL_ONLY.items() if name in packages)


def test_a_planted_violation_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "engine.py"
    planted.write_text(
        "def f():\n    from repeat_reminder.cli.options import ENV\n", encoding="utf-8"
    )
    assert wrong_ways("engine", planted) == {"cli"}
