"""The commands: each is imported and built when it is asked for."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from repeat_reminder.cli.coercion import take_as_typed
from repeat_reminder.cli.commands import Careful, Plain, Pointing

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from typer._click.core import Command, Context

EPILOG: Final = "Exit codes: 0 done, 1 finding, 2 usage or input error, 3 bug, 130 Ctrl-C."
CHECK_EXAMPLES: Final = """Examples:

\b
repeat-reminder check                       compare everything, write nothing
repeat-reminder check -k curl --update      accept changes of some scenarios
repeat-reminder check -f github --junit-xml build/reminders.xml"""


def _with_examples(*examples: str) -> str:
    """Put examples above the exit codes; the mark keeps their lines as they are."""
    lines = (f"  repeat-reminder {example}" for example in examples)
    return "\n".join(("\b", "Examples:", *lines, "", EPILOG))


_COMMANDS: Final = {
    "replay": (
        Careful,
        _with_examples(
            "replay session.jsonl",
            "replay ~/.claude/projects --latest --thresholds 3,6",
            "replay 'runs/**/*.jsonl' --exclude 'todo_*' -o report.json",
        ),
    ),
    "check": (Careful, f"{CHECK_EXAMPLES}\n\n{EPILOG}"),
    "explain": (
        Pointing,
        _with_examples(
            "explain session.jsonl:120",
            "explain run.traj#4 --policy breaker",
            "explain session.jsonl --nearest 5",
        ),
    ),
    "convert": (Plain, EPILOG),
    "validate": (Plain, EPILOG),
    "formats": (Plain, EPILOG),
    "tune": (Careful, EPILOG),
    "stats": (Careful, EPILOG),
}
"""What each command is made of besides the function of its name in the module of its name."""

NAMES: Final = tuple(_COMMANDS)
"""All commands, in the order of the help."""


class Commands(TyperGroup):
    """A group that makes no command but the one that is run: each takes typer 2 ms and more.

    The signatures are those of `TyperGroup`.
    """

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Parse the options before the command."""
        take_as_typed(self.get_params(ctx))
        self.commands = cast("MutableMapping[str, Command]", _Made())
        return super().parse_args(ctx, args)

    def get_command(self, ctx: "Context", cmd_name: str) -> "Command | None":  # noqa: ARG002 - the group's
        """Return a command; None if there is none of that name, and only then."""
        return self.commands[cmd_name] if cmd_name in NAMES else None

    def list_commands(self, ctx: "Context") -> list[str]:  # noqa: ARG002 - the group's
        """Return the names of all commands, in the order of the help."""
        return [*NAMES]


class _Made(Mapping[str, "Command"]):
    """Commands by name, each made when it is first looked at."""

    def __init__(self) -> None:
        self._made: dict[str, Command] = {}

    def __getitem__(self, name: str) -> "Command":
        if name not in self._made:
            self._made[name] = made(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


def made(name: str) -> "Command":
    """Import a command and build it."""
    kind, epilog = _COMMANDS[name]
    function = getattr(import_module(f"repeat_reminder.cli.{name}"), name)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=kind, epilog=epilog)(function)
    return get_command(alone)
