"""The task list: pages on which people find, do and start work (docs/how-to/task-list.md)."""
