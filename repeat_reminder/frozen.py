"""Frozen dataclasses of which millions are made."""

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from types import FunctionType

Fields = ParamSpec("Fields")
Made = TypeVar("Made")

_MAKE: Final = """
def make(*, {names}):
    made = new(Thawed)
    {fill}
    made.__class__ = Frozen
    return made
"""


def maker(cls: Callable[Fields, Made]) -> Callable[Fields, Made]:
    """Return a function that makes what a class makes, in a fifth of the time.

    A frozen dataclass sets each of its fields through ``object.__setattr__``. Here an instance
    belongs, while it is filled, to a twin of its class that is not frozen.

    Args:
        cls: a frozen, slotted, keyword-only dataclass without factories and ``__post_init__``.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(cls, type) or hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls!r} is no dataclass of plain fields")
    names = {field.name: field.default for field in fields(cls)}
    scope = {
        "new": object.__new__,
        "Thawed": type(cls.__name__, (), {"__slots__": tuple(names)}),
        "Frozen": cls,
    }
    fill = "\n    ".join(f"made.{name} = {name}" for name in names)
    made: dict[str, FunctionType] = {}
    # As dataclass itself does: nothing but the names of fields goes in.
    exec(_MAKE.format(names=", ".join(names), fill=fill), scope, made)  # noqa: S102
    make = made["make"]
    make.__kwdefaults__ = {
        name: default for name, default in names.items() if default is not MISSING
    }
    return make
