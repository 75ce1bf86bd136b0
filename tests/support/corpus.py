"""The folder of third-party models and expected behaviour."""

from __future__ import annotations

import os
from pathlib import Path

CORPUS: Path | None = Path(os.environ["BPM_CORPUS"]).resolve() if os.environ.get("BPM_CORPUS") else None


def corpus_dir(*parts: str) -> Path:
    """Return a folder of the corpus; only tests marked ``corpus`` or below tests/corpus may ask."""
    if CORPUS is None:
        raise RuntimeError("BPM_CORPUS is not set: it names the folder of the conformance corpus.")
    folder = CORPUS.joinpath(*parts)
    if not folder.is_dir():
        raise RuntimeError(f"BPM_CORPUS={CORPUS}: the folder {'/'.join(parts) or '.'} is not there.")
    return folder
