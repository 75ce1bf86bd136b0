"""Regular expressions whose matching is bounded."""
