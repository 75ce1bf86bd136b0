"""Migration: a running instance goes on in another version (semantics §12).

`plan` says which node becomes which, and what is wrong with that whatever the instance; `fitting`, what stands in the
way of one instance. In `carrying` the instance takes over the new names and its joins count again; in `waiting` what
scopes and tokens wait for is kept, taken away or armed.
"""
