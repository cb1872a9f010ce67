"""The command line: arguments in, open, call, print, exit. Nothing is decided here."""

import signal
import sys
from types import FrameType
from typing import Annotated, Final

import typer

from repeat_reminder import __version__
from repeat_reminder.cli import streams
from repeat_reminder.cli.lazy import EPILOG, Commands

UNUSABLE: Final = 2
INTERRUPTED: Final = 130

app = typer.Typer(
    name="repeat-reminder",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog=EPILOG,
)


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
    """Run the command line, and leave with its exit code."""
    # A reader that closes the pipe ends us quietly (141), as it ends cat; typer would exit 1.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    streams.fill_closed()
    streams.buffer_output()
    interrupt = signal.getsignal(signal.SIGINT)
    code = _run()
    signal.signal(signal.SIGINT, interrupt)  # that of `__main__` is quiet also at the very end
    sys.exit(code)


def _run() -> str | int | None:
    code: str | int | None = None
    try:
        _answer_signals()
        app(prog_name="repeat-reminder")
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # typer itself prints help and faults of usage
        return _unprinted(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        return _unprinted(error)
    try:
        sys.stderr.flush()
    except OSError:
        streams.abandon(sys.stderr)
    return code


def _answer_signals() -> None:
    """Let Ctrl-C be heard, and let a file that is not whole be removed when we are told to end."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _unprinted(error: OSError) -> int:
    told = streams.output_failure(error)
    try:
        print(f"error: {told}", file=sys.stderr, flush=True)  # noqa: T201 - nobody else is left to
    except OSError:
        streams.abandon(sys.stderr)
    return UNUSABLE
