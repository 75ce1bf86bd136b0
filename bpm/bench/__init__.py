"""Benchmarks: what a command costs, as a share of what the database alone could do (docs/explanation/performance)."""
