"""The FEEL dialect (DMN): grammar, values, operators and the library of functions."""

from __future__ import annotations

from bpm.core.expressions.feel.grammar import compile_feel, compile_unary_tests

__all__ = ["compile_feel", "compile_unary_tests"]
