"""A call's arguments without what they said; equal arguments stay equal, others stay different."""

from typing import Final

from repeat_reminder import jsontext
from repeat_reminder.convert.placeholders import Placeholders
from repeat_reminder.events import Json

_UNSEEN: Final = None
"""Stands in a container for a value that is not there yet."""


def redacted_text(text: str, placeholders: Placeholders) -> str:
    """Redact arguments as the model sent them: JSON stays JSON, anything else stays none."""
    if not text:
        return text
    try:
        # However deep: what is too deep to count has to stay so.
        value = jsontext.loads(text, max_depth=max(jsontext.MAX_DEPTH, len(text)))
    except jsontext.NotJson:
        return placeholders.text(text)
    return jsontext.dumps(redacted_json(value, placeholders)).decode()


def redacted_json(value: Json, placeholders: Placeholders) -> Json:
    """Redact a value: its structure, types and names of members stay."""
    whole: list[Json] = [_UNSEEN]
    todo: list[tuple[Json, list[Json] | dict[str, Json], int | str]] = [(value, whole, 0)]
    while todo:
        node, container, place = todo.pop()
        made = _node(node, placeholders)
        # mypy cannot know that a place fits its container
        container[place] = made  # type: ignore[index]
        if isinstance(node, dict) and isinstance(made, dict):
            members = zip(made, node.values(), strict=True)
            todo += [(inner, made, key) for key, inner in reversed(list(members))]
        elif isinstance(node, list) and isinstance(made, list):
            todo += [(inner, made, index) for index, inner in reversed(list(enumerate(node)))]
    return whole[0]


def _node(node: Json, placeholders: Placeholders) -> Json:
    """Redact one value; a container's own are still to be filled in."""
    match node:
        case dict():
            return {placeholders.key(key): _UNSEEN for key in node}
        case list():
            return [_UNSEEN] * len(node)
        case str():
            return placeholders.text(node)
        case bool() | None:
            return node
        case _:
            return placeholders.number(node)
