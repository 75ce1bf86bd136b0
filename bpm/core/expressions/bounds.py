"""The bounds of every expression: how long, how deep, how many steps, how big."""

from __future__ import annotations

from typing import Final

MAX_TEXT_LENGTH: Final = 1_000_000
"""Characters of an expression's text, and of every text an evaluation builds."""

MAX_NESTING: Final = 50
"""Brackets, calls and prefix operators inside one another."""

MAX_HEIGHT: Final = 150
"""Evaluations inside one another, chains of operators included."""

MAX_CALL_FRAMES: Final = 500
"""Closures inside one another that open calls of user-defined functions may take up."""

MAX_STEPS: Final = 100_000
"""Steps of one evaluation: items visited, functions called, items built."""

TEXT_PER_STEP: Final = 100
"""Characters an operation may copy for one step."""

MAX_ITEMS: Final = 1_000_000
"""Values inside one result, those inside lists and maps included."""

MAX_RESULT_DEPTH: Final = 200
"""Lists and maps inside one another in a result."""

MAX_INTEGER_BITS: Final = 14_000
"""Beyond about 4,200 digits an integer result is rounded to 34 digits."""

MAX_NUMERAL_LENGTH: Final = 4_000
"""Characters of a text that is read as a number."""
