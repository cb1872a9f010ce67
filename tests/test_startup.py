"""A short run imports what it uses, and no more. What is loaded is pinned, not how long it takes.

Each name below was once loaded by every run, or would be by a careless import.
"""

import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperArgument, TyperOption

from repeat_reminder.cli import lazy
from repeat_reminder.cli.coercion import take_as_typed
from tests.command import run

TWO_TIERS = Path(__file__).parents[1] / "fixtures" / "two-tiers.jsonl"

FOREIGN = {
    "pydantic": "typer's validator: half of the start, and plain words need none",
    "importlib.metadata": "pydantic looks for plugins with it; the version is a constant",
    "rich": "texts are painted by hand",
    "yaml": "a config file",
    "zstandard": "a compressed log",
    "sqlite3": "a log that is a database",
    "zipfile": "a log that is an archive",
    "tempfile": "-o",
    "multiprocessing": "several logs",
    "concurrent.futures": "several logs",
    "ssl": "nothing ever",
    "email": "nothing ever",
    "pytest": "the plugin",
    "syrupy": "the plugin",
    "can_ada": "the breaker",
}
"""Packages and modules of others that are not loaded, and what they are for."""
OURS = {
    *("api", "check", "convert", "explain", "parity", "pytest_plugin", "tune", "validate"),
    *("workers", "schemas", "policies.breaker", "render.html", "render.acp", "render.tune"),
    *("render.check", "render.explain", "render.replay.records", "render.replay.timeline"),
    *("cli.check", "cli.convert", "cli.explain", "cli.formats", "cli.stats", "cli.tune"),
    *("cli.validate", "config.yaml_syntax", "config.json_syntax", "config.toml_syntax"),
    *("formats.dsh", "formats.claude_code", "formats.openai_chat", "formats.not_sessions"),
    *("jsontext.reader", "jsontext.scanner", "jsontext.writer", "source.zstd"),
}
"""Rooms and modules of ours that are not loaded."""


def loaded_by(*words: str, folder: Path) -> set[str]:
    """Run a command in a process of its own and return the modules that it has at its end."""
    code = (
        "import atexit, sys\n"
        f"sys.argv[1:] = {[*words]!r}\n"
        "atexit.register(lambda: print(*sys.modules, sep='\\n'))\n"
        "from repeat_reminder.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(  # noqa: S603 - this very interpreter
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


@pytest.fixture(scope="module", name="concise")
def _concise(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    folder = tmp_path_factory.mktemp("empty")
    return loaded_by("replay", str(TWO_TIERS), "-f", "concise", "-q", folder=folder)


@pytest.mark.parametrize("module", FOREIGN)
def test_a_short_replay_does_not_load(module: str, concise: set[str]) -> None:
    assert module not in concise


@pytest.mark.parametrize("module", sorted(OURS))
def test_a_short_replay_does_not_load_our(module: str, concise: set[str]) -> None:
    path = Path(__file__).parents[1] / "repeat_reminder" / module.replace(".", "/")
    assert path.is_dir() or path.with_suffix(".py").is_file(), "it has another name now"
    assert f"repeat_reminder.{module}" not in concise


def test_what_it_does_load_is_seen(concise: set[str]) -> None:
    assert {"typer", "orjson", "repeat_reminder.formats.canonical"} <= concise


@pytest.mark.parametrize(
    ("words", "module"),
    [
        pytest.param(["--text", "full"], "pydantic", id="the name of a choice is taken as it is"),
        pytest.param(["--include", "a", "--include", "b"], "pydantic", id="so are several words"),
        pytest.param(["--thresholds", "2,3"], "pydantic", id="so is a word"),
        pytest.param(["-j", "2"], "pydantic", id="so is a number"),
        pytest.param(["--all-calls"], "pydantic", id="so is a switch"),
        pytest.param(["-f", "full"], "repeat_reminder.render.replay.concise", id="one renderer"),
    ],
)
def test_options_load_only_what_is_theirs(words: list[str], module: str, tmp_path: Path) -> None:
    loaded = loaded_by("replay", str(TWO_TIERS), *words, folder=tmp_path)
    assert module not in loaded


# ---------------------------------------------------------------- values without a validator


VALUES = (
    *("word", "", "full", "FULL", "auto", "Auto", "\udcff", b"x", None, True, 3, 1.5, ["a"]),
    *("3", "0", "-1", "+3", "03", " 3", "3.0", "1_0", "9" * 30, "\u0663"),
)
"""Such as the parser makes, and such as it never does."""


def command(name: str) -> typer.core.TyperCommand:
    """Make one command."""
    made = lazy.made(name)
    assert isinstance(made, typer.core.TyperCommand)
    return made


def outcome(made: typer.core.TyperCommand, parameter: str, value: object) -> object:
    """Return what comes of a value: it and its type, or what is said."""
    context = made.context_class(made)
    param = next(one for one in made.params if one.name == parameter)
    assert isinstance(param, TyperOption | TyperArgument)
    given = (value,) if param.multiple or param.nargs == -1 else value
    try:
        taken: object = param.get_runtime_param().coerce(given, param=param, ctx=context)
    except typer.BadParameter as error:
        return error.message
    return type(taken), taken


@pytest.mark.parametrize("name", lazy.NAMES)
def test_values_come_out_as_from_the_validator(name: str) -> None:
    """Each parameter, each kind of value: as we take it, and as typer does."""
    theirs = command(name)
    defaults = {parameter.name: parameter.default for parameter in theirs.params}
    given: list[dict[str, object]] = [dict.fromkeys(defaults, value) for value in VALUES]
    for values in [*given, defaults]:
        ours = command(name)  # a new one: the first value that is left to typer ends our part
        take_as_typed(ours.params)
        for parameter, value in values.items():
            result = outcome(ours, parameter, value)
            assert result == outcome(theirs, parameter, value), (parameter, value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(
            ["--text", "some"], "'some' is not one of 'none', 'first-line', 'full'", id="choice"
        ),
        pytest.param(["-j", "many"], "unable to parse string as an integer", id="number"),
        pytest.param(["-j", "0"], "greater than or equal to 1", id="too small a number"),
    ],
)
def test_mistakes_are_told_by_typer(words: list[str], told: str) -> None:
    done = run("replay", str(TWO_TIERS), *words)
    assert done.code == 2
    assert told in " ".join(done.err.split())
