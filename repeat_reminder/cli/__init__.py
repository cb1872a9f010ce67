"""The command line: arguments in, open, call, print, exit. Nothing is decided here."""

import signal
from typing import Annotated

import typer

from repeat_reminder import __version__
from repeat_reminder.cli.replay import replay

EPILOG = "Exit codes: 0 done, 1 finding, 2 usage or input error, 3 bug, 130 Ctrl-C."

app = typer.Typer(
    name="repeat-reminder",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog=EPILOG,
)
app.command("replay", epilog=EPILOG)(replay)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"repeat-reminder {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Replay recorded agent sessions through repeated-tool-call guards.

    See where each reminder would be injected, pin it in CI, choose thresholds from evidence.
    """


def main() -> None:
    """Run the command line."""
    # A reader that closes the pipe ends us quietly (141), as it ends cat; typer would exit 1.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    app(prog_name="repeat-reminder")
