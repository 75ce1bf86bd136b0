"""Many consistent instances in little time: a few are run by the engine, then copied with new ids and times.

A copy has its own ids, times and chain of hashes, so that it can be read, continued, replayed and verified like any
other.
"""
