"""An app with handlers, for tests whose loops run in processes of their own."""
