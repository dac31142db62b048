"""An answer engine for a body of work its author owns."""
