"""Decisions are remembered: what was decided once is not decided again where only ids, times and values differ.

`decide` is pure, so it does the same whenever it is asked the same. A *shape* is an instance as it stands but for its
ids, times and users' values; for a shape and a command the events, rows and answer are worked out once, by putting
placeholders where those stand, and afterwards only filled in (docs/decisions/0025).

    shapes, asking → memory ─ known: filled in by remembered.recall
                            └ not yet: decided as ever, rehearsed behind the veil, made into templates by learning
"""
