"""Find and read the policies' configuration, and tell where each value comes from.

`load` is the whole room in one call; what it takes comes from `ConfigText` (the file of
``--config``) and `find_project` (``pyproject.toml``). A policy is added in ``table``.
"""

from repeat_reminder.config.choices import Choice
from repeat_reminder.config.documents import ConfigText
from repeat_reminder.config.loading import (
    DEFAULT,
    Loaded,
    Mounted,
    answered,
    choice_in,
    load,
    policies_in,
)
from repeat_reminder.config.settings import Project, Settings, find_project, read_project
from repeat_reminder.config.table import NONE, POLICIES, Policy, PolicyConfig

__all__ = [
    "DEFAULT",
    "NONE",
    "POLICIES",
    "Choice",
    "ConfigText",
    "Loaded",
    "Mounted",
    "Policy",
    "PolicyConfig",
    "Project",
    "Settings",
    "answered",
    "choice_in",
    "find_project",
    "load",
    "policies_in",
    "read_project",
]
