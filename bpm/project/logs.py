"""Logging: one JSON object per line on standard error, or plain text for people."""

from __future__ import annotations

import logging
from typing import Any

import structlog
from structlog.tracebacks import ExceptionDictTransformer

from bpm.project.log_secrets import hide_secrets


def _drop_request(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Drop what Django attaches for its own handlers: request objects and a second time stamp."""
    event.pop("request", None)
    event.pop("server_time", None)
    return event


class QuietProbes(logging.Filter):
    """Drops what Django says about answers to probes: that a probe finds something is no error of the probe."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is about anything else."""
        return getattr(getattr(record, "request", None), "path", None) not in ("/ready", "/health")


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    _drop_request,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def logging_config(level: str, style: str) -> dict[str, Any]:
    """Return Django's LOGGING for a level name and a style, ``json`` or ``text``.

    Records of the standard library and of structlog pass the same processors, so instance and token ids bound
    with ``structlog.contextvars`` stand in every line.
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "lines": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *_renderers(style),
                ],
            }
        },
        "filters": {"quiet_probes": {"()": QuietProbes}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"filters": ["quiet_probes"]},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            # django-q2 adds a handler of its own unless its logger has one.
            "django-q": {"handlers": ["stderr"], "level": level, "propagate": False},
        },
    }


def configure_structlog() -> None:
    """Route structlog's loggers through the standard library's handlers."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _renderers(style: str) -> list[Any]:
    # Without local variables: they hold what people and processes have entrusted to the engine.
    if style == "text":
        return [
            structlog.processors.format_exc_info,
            hide_secrets,
            structlog.dev.ConsoleRenderer(colors=False),
        ]
    return [
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
        hide_secrets,
        structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
    ]
