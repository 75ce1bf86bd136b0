"""The read front door, one module per noun.

Every function takes the tenant and filters by it, states how many SQL statements it runs, and returns
frozen rows. Lists are paged by key (`bpm.queries.page`): the cost of a page depends on its size, not on where
it lies, and nothing is counted by scanning.
"""
