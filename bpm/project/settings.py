"""Django settings, read from environment variables only; docs/reference/settings.md lists them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF

from bpm.project.databases import database_from_environment
from bpm.project.environment import Environment
from bpm.project.logs import configure_structlog, logging_config
from bpm.project.secret_key import read_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent.parent
env = Environment()

DEBUG = env.flag("BPM_DEBUG")
DEMO = env.flag("BPM_DEMO")
LOCAL = DEBUG or DEMO
HTTPS = env.flag("BPM_HTTPS", default=not LOCAL)

VAR_DIR = Path(env.text("BPM_VAR_DIR", str(BASE_DIR / "var")))
SECRET_KEY = read_secret_key(env, VAR_DIR / "secret-key", may_generate=LOCAL)
ALLOWED_HOSTS = env.words("BPM_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = env.words("BPM_TRUSTED_ORIGINS")

METRICS = env.flag("BPM_METRICS", default=True)
METRICS_TOKEN = env.text("BPM_METRICS_TOKEN")
TRACES = env.flag("BPM_TRACES")

# Read by the engine; a host project that installs the app gives its own.
BPM = {
    "TIME_ZONE": env.zone("BPM_TIME_ZONE"),
    "THROWN_MESSAGE_TTL_S": env.integer("BPM_THROWN_MESSAGE_TTL_S", 3_600, low=0, high=31_536_000),
    "EXPLORE_STATES": env.integer("BPM_EXPLORE_STATES", 2_000, low=0, high=1_000_000),
    "EXPLORE_MS": env.integer("BPM_EXPLORE_MS", 300, low=0, high=60_000),
    "MAX_CALL_DEPTH": env.integer("BPM_MAX_CALL_DEPTH", 1_000, low=1, high=100_000),
    "KEPT_ROWS": env.integer("BPM_KEPT_ROWS", 5_000, low=0, high=10_000_000),
    "REMEMBERED_DECISIONS": env.integer("BPM_REMEMBERED_DECISIONS", 1_000, low=0, high=1_000_000),
    "MAX_ROWS_AT_ONCE": env.integer("BPM_MAX_ROWS_AT_ONCE", 50_000, low=100, high=10_000_000),
    "MAX_VARIABLE_BYTES": env.integer("BPM_MAX_VARIABLE_BYTES", 4_000_000, low=1_000, high=100_000_000),
    "MAX_BODY_BYTES": env.integer("BPM_MAX_BODY_BYTES", 5_242_880, low=1_000, high=1_000_000_000),
    "IDEMPOTENCY_HOURS": env.integer("BPM_IDEMPOTENCY_HOURS", 24, low=1, high=8_760),
    "WEB_THREADS": env.integer("BPM_WEB_THREADS", 8, low=1, high=1_000),
    "HANDLER_THREADS": env.integer("BPM_HANDLER_THREADS", 4, low=0, high=256),
    "VERIFY_SHARE_PERCENT": env.integer("BPM_VERIFY_SHARE_PERCENT", 5, low=0, high=100),
    "RETENTION_ROLE": env.text("BPM_RETENTION_ROLE"),
    "JOB_LEASE_MS": env.integer("BPM_JOB_LEASE_MS", 30_000, low=1_000, high=86_400_000),
    "REQUESTS_PER_MINUTE": env.integer("BPM_REQUESTS_PER_MINUTE", 0, low=0, high=100_000_000),
    "OPEN_POLLS": env.integer("BPM_OPEN_POLLS", 0, low=0, high=100_000),
    "RUNNING_INSTANCES": env.integer("BPM_RUNNING_INSTANCES", 0, low=0, high=1_000_000_000),
    "RETENTION_DAYS": env.integer("BPM_RETENTION_DAYS", 0, low=0, high=36_500),
    "RETENTION_FOLDER": env.text("BPM_RETENTION_FOLDER"),
    "OPEN_ON_LOOPBACK": DEMO and env.flag("BPM_OPEN_ON_LOOPBACK"),
}

INSTALLED_APPS = [
    "whitenoise.runserver_nostatic",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_q",
    "django_htmx",
    "csp",
    "axes",
    "bpm",
    "bpm.access",
    "bpm.project",
    "api",
    "cockpit",
]

MIDDLEWARE = [
    "bpm.project.monitoring.request_log.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "api.framing.AnnouncedLength",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "bpm.access.pages.PageAccess",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "cockpit.zone.ZoneMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "bpm.project.urls"
WSGI_APPLICATION = "bpm.project.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# The engine opens its own transactions; on SQLite one per request would serialise all reading.
DATABASES = {
    "default": {
        **database_from_environment(env, f"sqlite:///{VAR_DIR / 'bpm.sqlite3'}"),
        "ATOMIC_REQUESTS": False,
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
# Whoever guesses passwords must wait; counted per user name and address, so nobody is shut out from elsewhere.
AXES_FAILURE_LIMIT = env.integer("BPM_LOGIN_FAILURES", 10, low=1, high=1_000)
AXES_COOLOFF_TIME = timedelta(seconds=env.integer("BPM_LOGIN_WAIT_S", 300, low=1, high=86_400))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_CLIENT_IP_CALLABLE = "bpm.project.logins.client_address"
AXES_LOCKOUT_CALLABLE = "bpm.project.logins.refuse_log_in"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Probes come from the same network, often without TLS, and learn nothing secret.
SECURE_REDIRECT_EXEMPT = [r"^health$", r"^ready$"]
SECURE_HSTS_SECONDS = env.integer("BPM_HSTS_S", 3_600, low=0, high=63_072_000) if HTTPS else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BPM_TRUST_PROXY") else None
X_FRAME_OPTIONS = "DENY"
# Subdomains and browsers' preload lists are the operator's whole domain, not this application's to promise.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
# Without collected files each request looks its file up, where production reads all names at the start.
WHITENOISE_USE_FINDERS = LOCAL
WHITENOISE_AUTOREFRESH = LOCAL
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if LOCAL
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication",
        "knox.auth.TokenAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "EXCEPTION_HANDLER": "api.problems.handle",
}
# Migrations that refer to tokens read it.
KNOX_TOKEN_MODEL = "knox.AuthToken"  # noqa: S105 - a model
REST_KNOX = {
    "TOKEN_TTL": timedelta(days=env.integer("BPM_TOKEN_TTL_DAYS", 365, low=1, high=3_650)),
    "AUTO_REFRESH": False,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "BPM engine",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

Q_CLUSTER = {
    "name": "engine",
    "orm": "default",
    "workers": env.integer("BPM_CLUSTER_WORKERS", 2, low=1, high=64),
    "poll": 0.2,
    # The time-out backstop of the guard works only with a step that adds up to whole seconds exactly.
    "guard_cycle": 0.5,
    "timeout": 30,
    "retry": 45,
    "queue_limit": 4,
    "bulk": 1,
    "ack_failures": True,
    "max_attempts": 3,
    "catch_up": False,
    "save_limit": 200,
    "recycle": 5000,
    "ALT_CLUSTERS": {},
}

configure_structlog()
LOGGING = logging_config(
    env.choice("BPM_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR")),
    env.choice("BPM_LOG_STYLE", "text" if LOCAL else "json", ("json", "text")),
)

KNOWN_VARIABLES = frozenset(env.names)
