"""``check --review``: a person decides about each difference, one after the other."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Self, TextIO

from repeat_reminder.check.report import Report
from repeat_reminder.check.run import accept, discard
from repeat_reminder.errors import UsageError
from repeat_reminder.render.check.text import full_result, full_unused
from repeat_reminder.render.look import Look

_QUESTION = "[a]ccept, [r]eject, [s]kip, [q]uit? "
_NO_ANSWER = "that is no answer: type a, r, s or q, then Enter\n"
_ANSWERS = {"a": "accepted", "r": "rejected", "s": "skipped", "q": "quit"}


@dataclass(slots=True, kw_only=True)
class Review:
    """A conversation on a terminal. What is not accepted stays as it is, and is a failure."""

    answers: TextIO
    questions: TextIO
    given: Counter[str] = field(default_factory=Counter)

    @classmethod
    def on_terminal(cls) -> Self:
        """Talk to whoever sits there.

        Raises:
            UsageError: nobody does.
        """
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise UsageError("--review needs a terminal", hint="--update accepts without asking")
        return cls(answers=sys.stdin, questions=sys.stderr)

    def go(self, report: Report, look: Look) -> None:
        """Ask about every finding of a check, and write what is accepted.

        Raises:
            WriteError: a snapshot cannot be written or deleted.
        """
        for index in self._wanted(
            (index, full_result(one, look))
            for index, one in enumerate(report.results)
            if one.failed
        ):
            report.results[index] = accept(report.results[index])
        if not report.allow_unused and not report.broken:
            for index in self._wanted(
                (index, full_unused(one, look, allowed=False))
                for index, one in enumerate(report.unused)
            ):
                report.unused[index] = discard(report.unused[index])
        told = (f"{number} {word}" for word, number in self.given.items() if word != "quit")
        self._say(f"reviewed: {', '.join(told) or 'nothing'}\n")

    def _wanted(self, findings: Iterable[tuple[int, Iterator[str]]]) -> Iterator[int]:
        """Show the findings one by one, and yield those that are accepted."""
        for index, lines in findings:
            if self.given["quit"]:
                return
            self._say("".join(f"{line}\n" for line in lines))
            answer = self._ask()
            self.given[answer] += 1
            if answer == "accepted":
                yield index

    def _ask(self) -> str:
        """Ask until there is an answer; the end of the input is one too."""
        while True:
            self._say(_QUESTION)
            line = self.answers.readline()
            if not line:
                return "quit"
            answer = _ANSWERS.get(line.strip().lower()[:1])
            if answer:
                return answer
            self._say(_NO_ANSWER)

    def _say(self, text: str) -> None:
        encoding = self.questions.encoding or "ascii"
        self.questions.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self.questions.flush()
