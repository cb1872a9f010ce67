"""Addresses: found in a command, and reduced to what two spellings of one target share.

Parsing is WHATWG's, as the plugin's engine does it: IPv4 number forms, punycode, dot segments and
backslashes are beyond a split. The parser is the one Node.js uses, by way of ``can_ada``; it is an
extra, so it is imported when a breaker is made. The rules mirror ``normUrl`` of
dsh-repeat-tool-breaker 0.5.2.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple, Protocol
from urllib.parse import unquote_to_bytes

from repeat_reminder.errors import UsageError
from repeat_reminder.events import Json
from repeat_reminder.policies.breaker.text import BLANKS

_IN_COMMAND = re.compile(rf"https?://[^{BLANKS}\"'\\<>`]+")
_PUNCTUATION = ".,;:!?)]}'\""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|msclkid|mc_eid|_ga|ref_src|igshid", re.ASCII | re.IGNORECASE
)
_IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
_LOCAL_NAMES = frozenset(["localhost", "0.0.0.0", "::1", "0:0:0:0:0:0:0:1"])  # noqa: S104 - compared
_LOCAL_PREFIXES = (
    "127.", "10.", "192.168.", "169.254.", *(f"172.{n}." for n in range(16, 32)), "fe80:",
)  # fmt: skip
_UNIQUE_LOCAL = re.compile("f[cd][0-9a-f]{2}:")
_MAX_SITE_LABELS = 2


class Url(NamedTuple):
    """One target, without the spelling: scheme, port, user and fragment play no part."""

    host: str
    path: str
    site: str
    """The last two labels of the host, or a whole IP address."""
    href: str
    """Host, path and the query without tracking, its pairs decoded and sorted."""
    local: bool
    """On this machine or its private network. Bracketed IPv6 hosts never are."""


class _Parsed(Protocol):
    """The parts of a WHATWG URL that are read here."""

    @property
    def hostname(self) -> str: ...
    @property
    def pathname(self) -> str: ...
    @property
    def search(self) -> str: ...


@cache
def whatwg_parser() -> Callable[[str], _Parsed]:
    """Return the parser; it raises ValueError for what is no URL.

    Raises:
        UsageError: the optional package is not installed.
    """
    try:
        from can_ada import parse  # noqa: PLC0415 - an extra: only the breaker needs it
    except ImportError as missing:
        raise UsageError(
            "the breaker policy needs the package can_ada to read web addresses",
            hint='pip install "repeat-reminder[breaker]"',
        ) from missing
    return parse


def urls_in(command: str) -> list[str]:
    """Return the http and https addresses a command mentions, each spelling once, in order.

    Found in the raw text, quotes or not; sentence punctuation at the end is cut.
    """
    if "://" not in command:
        return []
    found = (match[0].rstrip(_PUNCTUATION) for match in _IN_COMMAND.finditer(command))
    return list(dict.fromkeys(found))


def identify(raw: str, aliases: Mapping[str, Json]) -> Url | None:
    """Reduce an address to its identity; None if it is no URL or has no host.

    Args:
        raw: with or without a scheme; ``https`` is assumed.
        aliases: host to host, both lower case, keys without ``www.``.
    """
    text = raw.strip(BLANKS)
    if not text:
        return None
    if _SCHEME.match(text) is None:
        text = f"https://{text}"
    try:
        parsed = whatwg_parser()(_well_formed(text))
    except ValueError:
        return None
    host = parsed.hostname.lower().removesuffix(".").removeprefix("www.")
    if not host:
        return None
    alias = aliases.get(host)
    if isinstance(alias, str) and alias:
        host = alias.lower()
    path = parsed.pathname.rstrip("/") or "/"
    query = _query(parsed.search)
    href = f"{host}{path}?{query}" if query else f"{host}{path}"
    return Url(host, path, _site(host), href, is_local(host))


def is_local(host: str) -> bool:
    """Say whether a normalised host is this machine or on a private network, by its spelling."""
    return (
        host in _LOCAL_NAMES
        or host.endswith(".localhost")
        or host.startswith(_LOCAL_PREFIXES)
        or _UNIQUE_LOCAL.match(host) is not None
    )


def _well_formed(text: str) -> str:
    """Replace lone surrogates by U+FFFD, as a JavaScript engine does before it parses a URL."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _query(search: str) -> str:
    """Decode the pairs of a query as a form, drop tracking, sort by UTF-16 units."""
    if not search:
        return ""
    pairs: list[str] = []
    for part in search[1:].split("&"):
        name, _, value = part.partition("=")
        key = _decoded(name)
        if part and _TRACKING.fullmatch(key) is None:
            pairs.append(f"{key}={_decoded(value)}")
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: pair.encode("utf-16-be"))
    return "&".join(pairs)


def _decoded(text: str) -> str:
    """Undo form encoding; bytes that are no UTF-8 become U+FFFD."""
    if "%" not in text and "+" not in text:
        return text
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


def _site(host: str) -> str:
    """Return the last two labels of a host, or the host if it has no more or is an IP address."""
    if ":" in host or _IPV4.fullmatch(host) is not None:
        return host
    labels = [*filter(None, host.split("."))]
    return host if len(labels) <= _MAX_SITE_LABELS else ".".join(labels[-_MAX_SITE_LABELS:])
