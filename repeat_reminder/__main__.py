"""``python -m repeat_reminder`` is ``repeat-reminder``."""

from repeat_reminder.cli import main

main()
