"""The canonical form against a JavaScript engine: many seeded texts, compared to the byte."""

import json
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from repeat_reminder.canonical import canonical, canonical_text, preview, refused, utf16_length
from repeat_reminder.jsontext.reader import read

SCRIPT = Path(__file__).parent / "data" / "canonical.mjs"
TEXTS = 2_000
"""Texts for each seed."""

RAW = [*"aZ0 /<éß", "\x7f", "\x80", "e\u0301", "\u2028", "\ufeff", "\uffff", "😀", "\U0010ffff"]
ESCAPES = ["\\n", "\\/", '\\"', "\\\\", "\\b", "\\u0000", "\\u001F", "\\u00e9", "\\uFFFF"]
HALVES = ["\\ud83d", "\\uDE00", "\ud83d", "\ude00", "\\ud83d\\ude00", "\\uDBFF\\uDFFF"]
FAULTS = ["\n", "\x00", "\\x41", "\\u12", "\\"]
KEYS = r"""
a b path -n 0 9 10 01 4294967294 4294967295 99999999999 -1 1.5 __proto__ \u005f_proto__ toJSON
constructor length é 😀 \ue000 \ud800 \uffee
"""
NUMBERS = """
0 -0 -0.0 0e5 1.0 10e-1 1E2 1e20 1e21 -1e21 1e-6 1e-7 0.1 4.35 0.30000000000000004
123456789012345678901 999999999999999999999 9007199254740991 9007199254740993 -9007199254740993
9223372036854775808 18446744073709551615 18446744073709551616 1e400 -1e400 1e-400 -1e-400
5e-324 2.4e-324 1.7976931348623157e308 1.7976931348623159e308
"""
SCRAPS = [*",}]\"\\x0-.e' ", "NaN", "\ufeff", "\xa0", "\x0b", "\x00", "//"]


def spelled_string(random: Random) -> str:
    pools = [RAW, RAW, RAW, ESCAPES, HALVES]
    if random.random() < 0.005:
        pools.append(FAULTS)
    units = (random.choice(random.choice(pools)) for _ in range(random.randrange(8)))
    return f'"{"".join(units)}"'


def spelled_number(random: Random) -> str:
    digits = "".join(random.choices("0123456789", k=random.randrange(1, 26))).lstrip("0") or "0"
    exponent = f"{random.choice('eE')}{random.choice(['', '+', '-'])}{random.randrange(330)}"
    (double,) = struct.unpack("<d", random.randbytes(8))
    double = double if double - double == 0 else 0.5  # neither infinite nor NaN
    sign = random.choice(["", "-"])
    return random.choice(
        [
            random.choice(NUMBERS.split()),
            str(random.randrange(1000)),
            sign + digits,
            f"{sign}{digits}.{random.randrange(10**9)}",
            sign + digits + exponent,
            f"{sign}{digits[0]}.{digits}{exponent}",
            repr(double),
            f"{double:.25g}",
            repr(random.uniform(-1, 1) * 10.0 ** random.randrange(-9, 24)),
        ]
    )


def spelled_key(random: Random) -> str:
    key = random.choice([f'"{random.choice(KEYS.split())}"', spelled_string(random)])
    return random.choice([key, f'"{random.randrange(12)}"', f'"k{random.randrange(40)}"'])


def spelled_word(random: Random) -> str:
    return random.choice(["true", "false", "null"])


SCALARS = [spelled_string, spelled_number, spelled_number, spelled_word]


def spelled(random: Random, depth: int = 0) -> str:
    """Spell a random value, with random blanks."""
    roll = random.random() + depth * 0.12
    blank = random.choice(["", "", "", " ", "\n\t\r "])
    if roll > 0.7:
        return random.choice(SCALARS)(random)
    inner = [blank + spelled(random, depth + 1) + blank for _ in range(random.randrange(5))]
    if roll < 0.2:
        return f"[{','.join(inner) or blank}]"
    members = (f"{blank}{spelled_key(random)}{blank}:{value}" for value in inner)
    return f"{{{','.join(members) or blank}}}"


def texts(random: Random) -> Iterator[str]:
    """Yield texts without end: mostly JSON, one in six damaged, one in a hundred deep."""
    while True:
        text = spelled(random)
        if random.random() < 0.01:
            levels = random.choice([250, 254, 255, 1023, 1025, 2000])
            text = '{"b":[' * (levels // 2) + text + "]}" * (levels // 2)
        if random.random() < 0.16:
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(SCRAPS) + text[at + random.randrange(2) :]
        if random.random() < 0.01:
            text = text[: random.randrange(len(text) + 1)]
        yield text


@pytest.fixture(scope="module")
def node() -> str:
    """Find the JavaScript engine; only a developer's machine may lack it."""
    program = shutil.which("node")
    if program is None and not os.environ.get("CI"):
        pytest.skip("node is not installed")
    assert program, "node is missing, and on CI this comparison must run"
    return program


def answers(node: str, questions: list[tuple[str, int]]) -> list[tuple[str, bool, int, str]]:
    lines = (json.dumps({"text": text, "cap": cap}) + "\n" for text, cap in questions)
    run = subprocess.run(  # noqa: S603  # our own script
        [node, str(SCRIPT)],
        input="".join(lines).encode(),
        capture_output=True,
        check=True,
    )
    return [tuple(json.loads(line)) for line in run.stdout.split(b"\n")]


@pytest.mark.parametrize("seed", range(5))
def test_the_form_is_what_node_prints(node: str, seed: int) -> None:
    random = Random(seed)  # noqa: S311  # repeatable on purpose
    some = texts(random)
    questions = [(next(some), random.randrange(1, 60)) for _ in range(TEXTS)] + [("", 1)]
    answered = answers(node, questions)
    assert len(answered) == len(questions)
    for (text, cap), (form, lossy, length, shown) in zip(questions, answered, strict=True):
        assert canonical_text(text) == form, ascii(text)
        assert refused(text, None) == lossy, ascii(text)
        assert utf16_length(form) == length
        assert preview(form, cap) == (shown, max(0, length - cap))


@pytest.mark.parametrize("seed", range(5, 7))
def test_both_ways_through_agree(seed: int) -> None:
    random = Random(seed)  # noqa: S311  # repeatable on purpose
    for _, text in zip(range(TEXTS), texts(random), strict=False):
        try:
            value = read(text)
        except ValueError:
            continue
        assert canonical(value) == canonical_text(text), ascii(text)
