"""Loops: what makes due work happen. Processes and threads are here, the work itself is in `bpm.engine`."""
