"""The wire over HTTP: routes, problems, and who may be at work at once. Nothing of the engine."""
