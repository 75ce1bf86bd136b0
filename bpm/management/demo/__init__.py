"""The demo: everything on one machine, started and ended together."""
