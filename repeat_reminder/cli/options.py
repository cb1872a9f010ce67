"""The options that commands share, each defined once."""

from enum import StrEnum
from typing import Annotated, Final

import typer

ENV: Final = "REPEAT_REMINDER_"
"""Every option with a variable of its own has this prefix and the option's name."""

INPUT: Final = "Input"
POLICY: Final = "Policy"
OUTPUT: Final = "Output"


class ColorWhen(StrEnum):
    """When text output is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class TextAmount(StrEnum):
    """How much of a reminder's text is shown."""

    NONE = "none"
    FIRST_LINE = "first-line"
    FULL = "full"


Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Files, directories (recursive), quoted globs, or - for stdin.",
        show_default=False,
    ),
]
From = Annotated[
    str,
    typer.Option("--from", metavar="FORMAT", help="Log format; auto recognises it by content."),
]
Sessions = Annotated[
    list[str] | None,
    typer.Option(
        "--session",
        metavar="ID",
        help="Report only sessions whose id starts so (repeatable). Never changes what is counted.",
        show_default=False,
    ),
]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        metavar="ID",
        help="Report only agents whose id starts so (repeatable). Never changes what is counted.",
        show_default=False,
    ),
]
Latest = Annotated[bool, typer.Option("--latest", help="Only the newest session of the folder.")]
Strict = Annotated[bool, typer.Option("--strict", help="Any skipped line or file is an error.")]
MaxLineBytes = Annotated[
    int | None,
    typer.Option(
        "--max-line-bytes",
        metavar="N",
        min=1,
        help="Skip longer lines, with a message (default: 256 MiB).",
        show_default=False,
    ),
]
MaxBytes = Annotated[
    int | None,
    typer.Option(
        "--max-bytes",
        metavar="N",
        min=1,
        help="Unpack no more than this from one file (default: 64 GiB).",
        show_default=False,
    ),
]

Policies = Annotated[
    list[str] | None,
    typer.Option(
        "--policy",
        metavar="NAME",
        help="reminder (default) or none; repeatable: mounted in that order.",
        show_default=False,
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A cordis.patch.yml, one row of it, a bare config block, .toml, .json; - for stdin.",
        show_default=False,
    ),
]
Thresholds = Annotated[
    str | None,
    typer.Option(
        "--thresholds",
        metavar="N,N,...",
        help="Run lengths at which a reminder speaks (default: 3,5,8).",
        show_default=False,
    ),
]
Include = Annotated[
    list[str] | None,
    typer.Option(
        "--include",
        metavar="PATTERN",
        help="Track only tools that match; * is a wildcard (repeatable, replaces the list).",
        show_default=False,
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Leave out tools that match; wins over --include (repeatable, replaces the list).",
        show_default=False,
    ),
]
PreviewChars = Annotated[
    str | None,
    typer.Option(
        "--arguments-preview-chars",
        metavar="N",
        help="UTF-16 units of the arguments that a detailed reminder quotes (default: 500).",
        show_default=False,
    ),
]
IgnoreArgs = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore-args",
        metavar="NAME",
        help="Leave this argument out of the comparison, or tool:name (repeatable). The plugin "
        "itself compares everything.",
        show_default=False,
    ),
]

Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to this file, atomically; its suffix picks the format if -f is absent.",
        show_default=False,
    ),
]
Color = Annotated[ColorWhen, typer.Option("--color", help="Colour the text output.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No notes or warnings on stderr.")]
Verbose = Annotated[
    bool, typer.Option("-v", "--verbose", help="Say where each setting came from; list all notes.")
]


class ReplayFormat(StrEnum):
    """What a replay can be printed as."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    JSONL = "jsonl"
    ACP = "acp"
