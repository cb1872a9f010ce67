"""Commands that look at their words once more, where the parser would let a mistake pass."""

from typing import TYPE_CHECKING, Final

import typer
from typer.core import TyperCommand

from repeat_reminder.cli.coercion import take_as_typed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer._click.core import Context

ONCE: Final = frozenset({"config", "thresholds"})
"""Options of which the last one wins silently, though others of the group are repeatable."""


class Plain(TyperCommand):
    """A command that takes plain values as they stand."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Parse the words without a validator where none is needed."""
        take_as_typed(self.get_params(ctx))
        return super().parse_args(ctx, args)


class Careful(Plain):
    """A command that refuses an option given twice where only the last would have an effect."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Check the words, then parse them.

        Raises:
            BadParameter: an option is given twice.
        """
        seen: set[str] = set()
        for option in self.make_parser(ctx).parse_args(args=[*args])[2]:
            name = option.name or ""
            if name in seen and name in ONCE and not getattr(option, "multiple", False):
                message = f"--{name} is given twice, and only one can have an effect"
                raise typer.BadParameter(message, ctx=ctx)
            seen.add(name)
        return super().parse_args(ctx, args)


class Pointing(Careful):
    """A command whose argument is a place: it knows what other spellings of one mean."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Take ``-:12`` for the place that it is, then parse.

        Raises:
            BadParameter: the line is a word of its own.
        """
        if "--" not in args:
            places = [word for word in args if word.startswith(("-:", "-#"))]
            args = [*(word for word in args if word not in places), *_behind(places)]
        given, rest, _ = self.make_parser(ctx).parse_args(args=[*args])
        if rest and rest[0].isdecimal():
            message = f"the line belongs to the file: write {given.get('spot')}:{rest[0]}"
            raise typer.BadParameter(message, ctx=ctx)
        return super().parse_args(ctx, args)


def _behind(words: "Iterable[str]") -> list[str]:
    return ["--", *words] if words else []
