"""What sort of tool a name stands for, in the words of the Agent Client Protocol."""

_NAMES = {
    "execute": (
        "bash pwsh powershell shell local_shell terminal exec exec_command run_command "
        "run_shell_command execute_command run_code"
    ),
    "read": "read read_file read_many_files view cat notebookread list_directory ls",
    "edit": (
        "write write_file edit edit_file multiedit apply_patch str_replace replace notebookedit "
        "insert"
    ),
    "search": (
        "grep glob search search_file_content codebase_search web_search websearch "
        "google_web_search"
    ),
    "fetch": "fetch web_fetch webfetch",
    "think": "think todo_write todowrite write_todos update_plan",
    "switch_mode": "exit_plan_mode exitplanmode enter_plan_mode",
    "delete": "delete delete_file remove_file",
    "move": "move move_file rename_file",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}


def tool_kind(name: str) -> str:
    """Return the ACP kind of a tool: its whole name decides, in any case; else ``other``."""
    return _KINDS.get(name.lower(), "other")
