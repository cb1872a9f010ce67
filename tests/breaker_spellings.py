"""Random addresses and commands of the nasty kind, for fingerprints."""

from random import Random

from tests.breaker_generator import words

SCHEMES = words("https:// http:// HTTP:// ftp:// ws:// foo:// https:/ // file:// mailto: data:")
HOSTS = words("""
e.org E.ORG www.e.org www.www.e.org e.org. a.b.c.co.uk bücher.example faß.de a_b.c a%2eb.c %65.org
xn--bcher-kva.example 127.1 0x7f.1 2130706433 0300.0250.1 256.1.1.1 1.2.3.4. 1.2.3 192.168.1.9
172.20.0.1 [::1] [FE80::1] [1::2::3] [::ffff:1.2.3.4] localhost a.localhost. . .. a..b e%zz.org
日本.jp e。org open-data.canada.ca www.open-data.canada.ca a<b xn--a.org -a-.org
""")
ODD_HOSTS = [
    "",
    "a b",
    "\uff45.org",
    "\u00ade.org",
    "ex\u200dample.org",
    "\U0001f600.ws",
    "\ud800.org",
]
PATHS = words(r"""
/ // /a/ /a//b /a/../b/. /%2e%2e/c /A%20b /é /a;b=1 \a\b /{x}|y /% /%zz /.. /a/%2E/b /~`^ /C:/x
""")
ODD_PATHS = ["", "", "/a\tb", "/\ud83d", "/a\u3000b", "/a'b\"c"]
QUERIES = words(r"""
? ?a=1&b=2 ?b=2&a=1 ?a=1&a=0 ?x=a+b%20c ?x=%41%zz% ?utm_source=x&q ?UTM_x=1&utm_=2 ?=1&&= #f?x=1
?fbclid=1&_ga=2&k=v ?x=%ff%fe ?x=%E2%82 ?x=%F0%9F%98%80 ?%75tm_a=1 ?a'b="c<d> ?x=1#f ?+x+=+
?x=%EF%BB%BFq ?x=%C0%80&y=%ED%A0%80 ?a;b=1&c=d=e
""")
ODD_QUERIES = ["", "", "", "?x=é&y=\U0001f600", "?x=\ud800", "?\ue000=1&\U00010000=2"]
PORTS = ["", "", "", ":80", ":443", ":8080", ":", ":99999", ":x"]
USERS = ["", "", "", "u@", "u:p@", "@"]
EDGES = ["", "", "", "", " ", "\n", "\u00a0", "\x00", "\t"]

WORDS = words(r"""
curl CURL /usr/bin/wget C:\x\http.exe sudo env time nice -n -u bob timeout 30 1.5m --signal=KILL -k
A=1 _b2= 9=x -s -sSL -sX - -- -m -m5 -A -Ax -A1 --retry --retry=3 --Retry=3 --user-agent --silent
--silent=1 -o -O --output --output= --output=./x --output-document f ./g ././ 'q' > >> >out >>out
>>>out 2>e &>e >&2 | || && & ; < tee -a x|tee " ' \ "\"\"" '\' "" '' it's $(curl `x` /dev/null
https://e.org/x. (http://e.org) HTTPS://e.org http:// xhttp://a https://e.org/a,https://e.org/b //
""")
ODD_WORDS = [
    '"a b"', "'a b'", "\\ ", "a\\\nb", "\u00a0", "\u2028", "\ufeff", "\x85", "\x1c", "é", "İX",
    "ΑΣ", "\U0001f600", "\ud83d",
]  # fmt: skip
BLANKS = [" ", " ", " ", " ", "  ", "\t", "\n", "\u00a0", "\u2003", "\u3000", "\v", "\r\n", ""]


def spelling(rng: Random) -> str:
    """Make an address, by far not always a good one."""
    scheme = rng.choice(["", *SCHEMES, "https://", "https://", "http://"])
    host = rng.choice(HOSTS if rng.random() < 0.8 else ODD_HOSTS)
    path = rng.choice(PATHS if rng.random() < 0.7 else ODD_PATHS)
    query = rng.choice(QUERIES if rng.random() < 0.7 else ODD_QUERIES)
    parts = [scheme, rng.choice(USERS), host, rng.choice(PORTS), path, query]
    return rng.choice(EDGES) + "".join(parts) + rng.choice(EDGES)


def command_line(rng: Random) -> str:
    """Make a command of tricky words, some of them addresses."""
    return "".join(_word(rng) + rng.choice(BLANKS) for _ in range(rng.randint(0, 9)))


def _word(rng: Random) -> str:
    if rng.random() < 0.1:
        return spelling(rng)
    return rng.choice(WORDS if rng.random() < 0.85 else ODD_WORDS)
