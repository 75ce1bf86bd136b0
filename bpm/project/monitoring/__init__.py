"""What operators and their tools see of a running installation: probes, metrics, traces, log lines."""
