"""Random looping agents for the breaker: streams of events, and configs that are reached early."""

from random import Random
from typing import Any, TypeAlias

Event: TypeAlias = dict[str, Any]


def words(text: str) -> list[str]:
    """Take apart a list written as text."""
    return text.split()


ADDRESSES = words("""
https://e.org/a https://www.e.org/a/ http://e.org:80/a?utm_source=x https://e.org/b?p={n}
https://open-data.canada.ca/x https://open.canada.ca/x http://127.0.0.1:3000/h
http://localhost/ http://10.0.0.7/ https://api.e.org/{n} https://bücher.example/ä
""")
VERBS = [
    "curl",
    "sudo curl",
    "timeout 5 curl",
    "A=1 /usr/bin/curl",
    "wget",
    "time -p curl",
    "xargs",
]
FLAGS = ["-s", "-sSL", "--max-time {n}", "-m{n}", "--retry 2", "-X POST", "-A1", "-H 'a: b'"]
SINKS = [
    "",
    "-o out",
    "> ./out",
    ">> log",
    "-o /dev/null",
    "| tee f g",
    "-O f",
    "2>e",
    "--output=x",
]
COMMANDS = [
    "make -k",
    "npm test",
    "ls -la",
    "python3 x.py 'a b'",
    "cd a && make",
    "grep -L x y",
    "",
]
FAILING: list[Event] = [
    {"content": "x", "value": {"exitCode": 2}},
    {"content": "boom\n[exit code: 1]"},
    {"content": "Traceback (most recent call last):\n  x\na.b.KeyError: y"},
    {"content": "SyntaxError: y"},
    {"content": "curl: (6) no such host"},
    {"content": ["", "(HTTP 503)"]},
    {"content": "gone", "value": {"statusCode": 404}},
    {"content": "", "value": {"timedOut": True, "timeoutMs": 5}},
    {"content": "denied", "isError": True, "error": {"message": "m"}},
    {"content": "[killed by signal: SIGKILL]", "value": {"exitCode": 0}},
]
PASSING: list[Event | None] = [
    None,
    {"content": "ok"},
    {"content": "ok", "value": {"exitCode": 0}},
    {"content": "HTTP Error 404", "value": {"statusCode": 200}},
    {"content": ["a", "", "b\ud83d"]},
    {"content": "started", "value": {"kind": "background", "exitCode": 1}},
]
RAW = ['{"n":-0}', '{"b":1,"a":[1e2]}', "not json", "", "1e400"]
CONFIG: dict[str, list[Any]] = {
    "window": [4, 5, 8, 16, 30],
    "onLimit": ["ask", "deny"],
    "localHosts": ["deny", "allow"],
    "includeLocal": [True, False],
    "warnAt": [None, 0, 2, 3, 7],
    "summarizeAt": [None, 2, 4, 11],
    "failWarnAt": [None, 1, 2, 3],
    "failLimit": [None, 2, 2.5, 4, 5],
    "exclude": [[], ["todo_write"], ["web_*", "r*d"]],
    "include": [[], [], ["bash", "read", "web_*"]],
    "ignoreArgs": [{"*": []}, {"read": ["offset"]}, {"bash": ["command"]}],
    "hostAliases": [{}, {"api.e.org": "E.org", "open-data.canada.ca": None}],
}
LIMITED = ["exact", "cmd", "net", "sink", "host", "site", "verb", "verb:curl", "host:e.org"]
LIMITS = [None, 2, 2.5, 3, 4, 6, 9, 12]


def config(rng: Random) -> Event:
    """Make a config with some keys of its own."""
    limits = {kind: rng.choice(LIMITS) for kind in LIMITED if rng.random() < 0.4}
    picked = {key: rng.choice(values) for key, values in CONFIG.items() if rng.random() < 0.4}
    return picked | ({"limits": limits} if limits else {})


def stream(rng: Random, length: int) -> list[Event]:
    """Make events of a few agents that mostly repeat what they did a moment ago."""
    agents = ["main", "sub", "odd \ud800"][: rng.randint(1, 3)]
    memory: list[Event] = []
    failing = rng.random()
    events: list[Event] = []
    for _ in range(length):
        agent = rng.choice(agents)
        if rng.random() < 0.02:
            kind = rng.choice(["user_message", "user_message", "plugin_message", "resume"])
            events.append({"type": kind, "agent": agent})
            continue
        if not memory or rng.random() < 0.2:
            memory.append(call(rng))
        event: Event = {"type": "tool_call", "agent": agent, **rng.choice(memory[-4:])}
        outcome = rng.choice(FAILING) if rng.random() < failing else rng.choice(PASSING)
        events.append(event if outcome is None else {**event, "result": outcome})
    return events


def call(rng: Random) -> Event:
    """Make one call, as a rule of a tool whose arguments matter to the breaker."""
    number = rng.randint(0, 3)
    match rng.choices(["shell", "address", "file", "other"], [45, 20, 25, 10])[0]:
        case "shell":
            name = rng.choice(["bash", "bash", "shell", "Bash"])
            arguments: Any = {"command": command(rng), "description": str(number)}
        case "address":
            name = rng.choice(["web_fetch", "Prefetch", "research", "browse"])
            key = rng.choice(["url", "url", "href", "uri", "other"])
            arguments = {key: address(rng), "title": str(number)}
        case "file":
            name = rng.choice(["read", "edit"])
            arguments = {"file_path": "a", "offset": number, "timeoutMs": rng.random()}
        case _:
            if rng.random() < 0.3:
                return {"name": "mcp_y", "raw": rng.choice(RAW)}
            name = rng.choice(["todo_write", "mcp_x", ""])
            arguments = rng.choice([None, [1], "text", 5, {"a": 1.5, "é": "\ud83d"}])
    return {"name": name, "arguments": arguments}


def command(rng: Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(COMMANDS)
    flags = [rng.choice(FLAGS).format(n=rng.randint(1, 9)) for _ in range(rng.randint(0, 3))]
    words = [rng.choice(VERBS), *flags, address(rng), rng.choice(SINKS)]
    return " ".join(filter(None, words))


def address(rng: Random) -> str:
    return rng.choice(ADDRESSES).format(n=rng.randint(0, 4))
