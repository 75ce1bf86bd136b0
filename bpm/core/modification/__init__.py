"""Modification: ending and starting at any place of a running instance, in one command (semantics §12).

    cancelling  ends tokens, all at a node, scopes
    starting    begins before, after a node or at a flow, in the scopes that `levels` finds or that it enters
    emptied     removes at the end what the instructions have left without a token

Instructions are carried out in order; what they start moves when all of them are done.
"""
