"""One file per event definition. Where it stands (start, catch …) is the element's affair."""
