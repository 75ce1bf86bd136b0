"""Forms of user tasks and start events, as models and form files describe them (docs/reference/forms.md)."""
