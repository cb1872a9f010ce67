"""What a call is counted as: several identities, so that a loop cannot hide in its spelling.

Mirrors ``lib/fingerprints.js`` of dsh-repeat-tool-breaker 0.5.2.
"""

import re
from typing import NamedTuple

from repeat_reminder.canonical import canonical
from repeat_reminder.events import Json
from repeat_reminder.policies.breaker.config import BreakerConfig, LocalHosts
from repeat_reminder.policies.breaker.sink import is_generic, sink
from repeat_reminder.policies.breaker.tokens import stripped, tokens, verb
from repeat_reminder.policies.breaker.urls import Url, identify, urls_in

_SHELLS = frozenset(["bash", "pwsh", "shell"])
_HTTP_VERBS = frozenset(["curl", "wget", "http", "httpie"])
_FAMILY = "family:http-fetch"
_URL_TOOL = re.compile("fetch|search|browse|web_", re.ASCII | re.IGNORECASE)
_URL_KEYS = ("url", "href", "uri")


class Identity(NamedTuple):
    """The fingerprints of one call, ``<kind>:<identity>``, in order, none twice."""

    fps: tuple[str, ...]
    local: bool
    """It names targets, all of them local, and they are not exempt by ``localHosts: allow``."""


def is_shell(tool: str) -> bool:
    """Say whether a tool's ``command`` is a command line. Case counts."""
    return tool in _SHELLS


def command_of(arguments: Json) -> str:
    """Return the command line of a shell call, empty if it has none."""
    command = arguments.get("command") if isinstance(arguments, dict) else None
    return command if isinstance(command, str) else ""


def identity(tool: str, arguments: Json, config: BreakerConfig) -> Identity:
    """Work out every fingerprint of a call.

    Files have none but ``exact``: a position in a file is part of the arguments, so the next page
    or another edit is another action.
    """
    exact = _exact(tool, arguments, config)
    if tool in _SHELLS:
        fps, local = _of_command(command_of(arguments), config)
    elif _URL_TOOL.search(tool) is not None:
        fps, local = _of_address(arguments, config)
    else:
        return Identity((exact,), local=False)
    return Identity(tuple(dict.fromkeys((exact, *fps))), local)


def _exact(tool: str, arguments: Json, config: BreakerConfig) -> str:
    """Identify the arguments without the names that are only decoration, top level only."""
    match arguments:
        case None:
            members: dict[str, Json] = {}
        case dict():
            members = arguments
        case _:
            members = {"value": arguments}
    always, here = config.ignore_args.get("*", ()), config.ignore_args.get(tool, ())
    kept = {key: value for key, value in members.items() if key not in always and key not in here}
    return f"exact:{tool}:{canonical(kept)}"


def _of_command(command: str, config: BreakerConfig) -> tuple[list[str], bool]:
    aliases = config.host_aliases
    urls = [url for raw in urls_in(command) if (url := identify(raw, aliases)) is not None]
    local = bool(urls) and all(url.local for url in urls)
    relaxed = local and config.local_hosts is LocalHosts.ALLOW
    words = tokens(command)
    program = verb(words)
    fps: list[str] = []
    if program and not relaxed:
        fps.append(f"verb:{program}")
        if program in _HTTP_VERBS:
            fps.append(_FAMILY)
    if program and (rest := stripped(words)):
        fps.append(f"cmd:{program}:{rest}")
    if not relaxed:
        for url in urls:
            fps += _of_target(url, config)
        destination = sink(words)
        if destination is not None and not is_generic(destination):
            fps.append(f"sink:{destination}")
    return fps, local and not relaxed


def _of_address(arguments: Json, config: BreakerConfig) -> tuple[list[str], bool]:
    raw = _address(arguments)
    url = None if raw is None else identify(raw, config.host_aliases)
    if url is None or (url.local and config.local_hosts is LocalHosts.ALLOW):
        return [], False
    return [*_of_target(url, config), _FAMILY], url.local


def _address(arguments: Json) -> str | None:
    """Return the first address argument that is not null, if it is a string."""
    if not isinstance(arguments, dict):
        return None
    given = (arguments[key] for key in _URL_KEYS if arguments.get(key) is not None)
    first = next(given, None)
    return first if isinstance(first, str) else None


def _of_target(url: Url, config: BreakerConfig) -> list[str]:
    fps = [f"net:{url.href}", f"site:{url.site}"]
    if config.include_local or not url.local:
        fps.append(f"host:{url.host}")
    return fps
