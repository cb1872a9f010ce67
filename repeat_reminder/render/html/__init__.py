"""A tuning report as one page of HTML that needs nothing else.

Read in this order: `markup` (no text gets into the page unescaped), `plot` (scales and axes),
the figures, one module each, and `page`, which puts them together.
"""

from repeat_reminder.render.html.page import tune_page

__all__ = ["tune_page"]
