"""Compensation: what completed activities leave behind, undoing it in order, and sagas (semantics §8)."""
