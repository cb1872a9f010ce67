"""Ids and the working directory in texts: what becomes a token and what must stay."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repeat_reminder.render.acp.normalise import Normaliser, Words, folder

POSIX = "/home/u/proj"
WINDOWS = "C:\\Users\\me\\proj"
IDS = {
    "abcd1234": "{{sessionId}}",
    "abcd1234-x": "{{sessionId:2}}",
    "a.b:c/d_e": "{{sessionId:3}}",
    "main": "never",
}


def normaliser(cwd: str | None = None, ids: dict[str, str] | None = None) -> Normaliser:
    words = Words()
    for word, token in (ids or {}).items():
        words.add(word, token)
    return Normaliser(words, folder(cwd))


FOLDERS: dict[str, tuple[str, str, str]] = {
    "the folder": (POSIX, "/home/u/proj", "{{cwd}}"),
    "given with a separator at its end": ("/home/u/proj/", "/home/u/proj/a", "{{cwd}}/a"),
    "a path below it": (POSIX, "cat /home/u/proj/src/a.py:3", "cat {{cwd}}/src/a.py:3"),
    "every one": (POSIX, "/home/u/proj /home/u/proj/a", "{{cwd}} {{cwd}}/a"),
    "a name that only begins like it": (POSIX, "/home/u/project", "/home/u/project"),
    "a name with a suffix": (
        POSIX,
        "/home/u/proj.bak /home/u/proj-2 /home/u/proj~",
        "/home/u/proj.bak /home/u/proj-2 /home/u/proj~",
    ),
    "a path that ends like it": (POSIX, "/mnt/home/u/proj", "/mnt/home/u/proj"),
    "a relative path": (POSIX, "./home/u/proj", "./home/u/proj"),
    "its parent": (POSIX, "/home/u", "/home/u"),
    "another case": (POSIX, "/Home/u/proj", "/Home/u/proj"),
    "at the end of a sentence": (POSIX, "in /home/u/proj.", "in {{cwd}}."),
    "in a list of paths": (POSIX, "/a:/home/u/proj:/b", "/a:{{cwd}}:/b"),
    "in a URL": (POSIX, "file:///home/u/proj/a", "file://{{cwd}}/a"),
    "behind an option": (
        POSIX,
        "-I/home/u/proj cc -L/home/u/proj/lib --p=/home/u/proj",
        "-I{{cwd}} cc -L{{cwd}}/lib --p={{cwd}}",
    ),
    "behind other letters": (POSIX, "x-I/home/u/proj", "x-I/home/u/proj"),
    "behind an escape in JSON": (POSIX, r'{"c":"ls\n/home/u/proj"}', r'{"c":"ls\n{{cwd}}"}'),
    "before an escape in JSON": (POSIX, r'{"c":"cd /home/u/proj\nls"}', r'{"c":"cd {{cwd}}\nls"}'),
    "a shell escape below it stays": (POSIX, r"/home/u/proj/my\ file", r"{{cwd}}/my\ file"),
    "with backslashes": (POSIX, r"\home\u\proj\src\a", "{{cwd}}/src/a"),
    "two characters are enough": ("/w", "/w/a and/w /wx", "{{cwd}}/a and/w /wx"),
    "one is not": ("/", "/ /a", "/ /a"),
    "special characters are literal": ("/a.b(c", "/a.b(c /aXb(c", "{{cwd}} /aXb(c"),
    "Windows": (WINDOWS, r"type C:\Users\me\proj\src\a.py:12", "type {{cwd}}/src/a.py:12"),
    "Windows with slashes": (WINDOWS, "C:/Users/me/proj/src", "{{cwd}}/src"),
    "Windows with both": ("C:/Users/me/proj", r"C:/Users/me/proj\src\a", "{{cwd}}/src/a"),
    "Windows, another folder": (WINDOWS, r"C:\Users\me\project\a", r"C:\Users\me\project\a"),
    "Windows, separator at the end": (WINDOWS, "C:\\Users\\me\\proj\\", "{{cwd}}/"),
    "Windows, next path of a list": (WINDOWS, r"C:\Users\me\proj\a;D:\b\c", r"{{cwd}}/a;D:\b\c"),
    "Windows, patterns": (WINDOWS, r"C:\Users\me\proj\**\*.py", "{{cwd}}/**/*.py"),
    "Windows in JSON": (
        WINDOWS,
        r'{"p":"C:\\Users\\me\\proj\\a\nx\\y"}',
        r'{"p":"{{cwd}}/a\nx\\y"}',
    ),
    "a network folder": (r"\\srv\share\p", r"\\srv\share\p\a", "{{cwd}}/a"),
    "none known": ("", "/home/u/proj", "/home/u/proj"),
}


@pytest.mark.parametrize(("cwd", "text", "expected"), FOLDERS.values(), ids=FOLDERS)
def test_the_working_directory(cwd: str, text: str, expected: str) -> None:
    assert normaliser(cwd).text(text) == expected


WORDS: dict[str, tuple[str, str]] = {
    "the id": ("abcd1234", "{{sessionId}}"),
    "every one": ("abcd1234 abcd1234", "{{sessionId}} {{sessionId}}"),
    "in a path": ("/var/abcd1234/x", "/var/{{sessionId}}/x"),
    "in a file name": ("agent-abcd1234.jsonl", "agent-{{sessionId}}.jsonl"),
    "the longest one that fits": ("abcd1234-x abcd1234-y", "{{sessionId:2}} {{sessionId}}-y"),
    "with other characters": ("see a.b:c/d_e.", "see {{sessionId:3}}."),
    "less than 8 characters": ("main", "main"),
    "part of a longer word": (
        "xabcd1234 abcd12345 abcd1234_ abcd1234é",
        "xabcd1234 abcd12345 abcd1234_ abcd1234é",
    ),
    "behind an escape in JSON": (r"a\nabcd1234", r"a\n{{sessionId}}"),
    "another case": ("ABCD1234", "ABCD1234"),
}


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS)
@pytest.mark.parametrize("others", [0, 100], ids=["few ids", "many ids"])
def test_ids(text: str, expected: str, others: int) -> None:
    more = {f"other-id-{number}": "other" for number in range(others)}
    assert normaliser(None, IDS | more).text(text) == expected


def test_the_folder_goes_before_ids_that_are_part_of_it() -> None:
    assert normaliser("/var/abcd1234", IDS).text("/var/abcd1234/a") == "{{cwd}}/a"


JSONS: dict[str, tuple[str, str]] = {
    "values": (
        '["/home/u/proj/a",{"k":"abcd1234"}]',
        '["{{cwd}}/a",{"k":"{{sessionId}}"}]',
    ),
    "keys": ('{"/home/u/proj":1}', '{"{{cwd}}":1}'),
    "numbers stay": ('[1e+21,0.1,"x"]', '[1e+21,0.1,"x"]'),
    "escapes are read first": (
        r'"a\n/home/u/proj\"\\ \ud83d"',
        r'"a\n{{cwd}}\"\\ \ud83d"',
    ),
    "untouched strings stay to the byte": (r'"\u0041\/"', r'"\u0041\/"'),
    "deep nesting": (
        "[" * 5000 + '"abcd1234"' + "]" * 5000,
        "[" * 5000 + '"{{sessionId}}"' + "]" * 5000,
    ),
}


@pytest.mark.parametrize(("text", "expected"), JSONS.values(), ids=JSONS)
def test_strings_of_a_json_text(text: str, expected: str) -> None:
    assert normaliser(POSIX, IDS).json(text) == expected


NAMES = st.lists(st.text("ab.*-é", min_size=1), max_size=4)


@given(NAMES, st.sampled_from(["/", "\\", "\\\\"]))
def test_any_path_below_the_folder_has_slashes(names: list[str], separator: str) -> None:
    path = separator.join(["C:", "Users", "me", "proj", *names])
    below = "".join(f"/{name}" for name in names)
    assert normaliser(WINDOWS).text(f'see "{path}", too') == f'see "{{{{cwd}}}}{below}", too'


HOSTILE = {
    "backslashes": "\\" * 100_000,
    "slashes": "/" * 100_000,
    "dots": "/home/u/proj" + "." * 100_000,
    "the folder over and over": "/home/u/proj" * 10_000,
    "the folder, then backslashes": "\\home\\u\\proj" + "\\" * 100_000,
    "heads of ids": "abcd1234" * 10_000,
    "hyphens": "abcd1234-" * 10_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_search_is_linear(text: str) -> None:
    search = normaliser(POSIX, IDS | {f"other-id-{number}": "other" for number in range(100)})
    began = time.perf_counter()
    search.text(text)
    assert time.perf_counter() - began < 2  # a quadratic one takes minutes
