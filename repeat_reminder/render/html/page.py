"""The whole page: figures, tables, stylesheet and script in one file that loads nothing."""

import base64
import hashlib
from importlib import resources

from repeat_reminder.render.html.attribution import attribution_figure
from repeat_reminder.render.html.candidates import candidates_section
from repeat_reminder.render.html.changes import changes_section
from repeat_reminder.render.html.curve import curve_figure
from repeat_reminder.render.html.front import front_figure
from repeat_reminder.render.html.lengths import lengths_figure
from repeat_reminder.render.html.markup import Markup, tag
from repeat_reminder.render.html.method import advice_section, method_section
from repeat_reminder.render.html.survival import survival_figure
from repeat_reminder.render.html.verdict import verdict_section
from repeat_reminder.render.tune.values import TuneReport


def tune_page(report: TuneReport) -> bytes:
    """Return a tuning report as a page.

    The same report gives the same bytes. The page may be opened from anywhere: its policy lets it
    load nothing, and run no script and no style but its own, which it names by their digests.

    Args:
        report: all figures. Its texts come from logs and are escaped.
    """
    style, script = _own("page.css"), _own("page.js")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", "repeat-reminder: tuning report"),
        tag("style", style),
    )
    body = tag("body", _main(report), tag("script", script))
    page = f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
    return page.encode()


def _main(report: TuneReport) -> Markup:
    figures = (
        lengths_figure(report),
        curve_figure(report),
        front_figure(report),
        survival_figure(report),
        attribution_figure(report),
    )
    return tag(
        "main",
        tag("h1", "Tuning report"),
        verdict_section(report),
        tag(
            "div",
            *(figure.html() for figure in figures),
            advice_section(report),
            class_="figures",
        ),
        candidates_section(report),
        changes_section(report),
        method_section(report),
    )


def _own(name: str) -> Markup:
    """Return a file of this package; it holds nothing that would end its element."""
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    return Markup(text)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
