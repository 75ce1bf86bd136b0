"""One file per event definition. Where it stands (start, catch, boundary …) is the element's affair, not the trigger's."""
