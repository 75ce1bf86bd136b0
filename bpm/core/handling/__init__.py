"""What each command does: guards first, then the change, by events. One file per noun."""
