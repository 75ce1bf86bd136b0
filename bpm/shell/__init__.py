"""The only code that writes: lock, load, decide, flush, commit (docs/explanation/architecture)."""
