"""Who may do what: accounts, permissions, tenants, limits (docs/reference/access.md)."""
