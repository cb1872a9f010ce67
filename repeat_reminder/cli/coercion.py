"""Values of the command line that need no validator.

typer hands every value to a validator of pydantic, and importing that takes as long as all else a
short run does. It changes nothing about a word for a text, the name of a choice, a plain number or
an absent value, so these are taken as they stand; everything else, also every mistake, is typer's.
"""

import math
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer._click.core import Context, Parameter
    from typer._coercion import RuntimeParam, TypeDescriptor
    from typer.core import TyperArgument, TyperOption
    from typer.models import ParameterInfo

LEFT: Final = object()
"""Stands for a value that is left to typer."""
DIGITS: Final = 15
"""Of a number that is taken; more are no number that an option of ours is for."""


def take_as_typed(parameters: "Iterable[Parameter]") -> None:
    """Let parameters take plain values without a validator.

    It is put where typer (0.29) keeps the validator that it builds on first use. A typer that
    keeps it elsewhere is left alone: it is slower then, and no less right.
    """
    for parameter in parameters:
        if vars(parameter).get("_runtime_param", LEFT) is None:
            vars(parameter)["_runtime_param"] = cast("RuntimeParam", _AsTyped())


class _AsTyped:
    """Stands in for the validator of one parameter until that is needed."""

    def coerce(self, value: object, param: "TyperArgument | TyperOption", ctx: "Context") -> object:
        """Take a plain value as it stands, and hand any other to the validator of typer.

        Raises:
            BadParameter: as the validator does.
        """
        plain = _plain(value, param)
        if plain is not LEFT:
            return plain
        vars(param)["_runtime_param"] = None  # typer builds its own from here on
        return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


def _plain(value: object, param: "TyperArgument | TyperOption") -> object:
    descriptor = param.type_descriptor
    several = param.multiple or param.nargs == -1
    if value is None:
        return () if several else None
    if not several:
        return _one(value, descriptor)
    if descriptor.annotation == list[str] and isinstance(value, tuple | list):
        return LEFT if any(type(word) is not str for word in value) else [*value]
    return LEFT


def _one(value: object, descriptor: "TypeDescriptor") -> object:
    kind = descriptor.annotation
    if kind is str:
        return value if type(value) is str else LEFT
    if kind is int:
        return _number(value, descriptor.parameter_info)
    if isinstance(kind, type) and issubclass(kind, Enum) and descriptor.case_sensitive:
        return next((one for one in kind if value is one or value == one.value), LEFT)
    return LEFT


def _number(value: object, info: "ParameterInfo") -> object:
    if type(value) is int:
        return value  # a default of ours
    if type(value) is not str or not value.isascii() or not value.isdecimal():
        return LEFT
    if len(value) > DIGITS or value.startswith("0"):
        return LEFT
    low = -math.inf if info.min is None else info.min
    high = math.inf if info.max is None else info.max
    return int(value) if low <= int(value) <= high else LEFT
