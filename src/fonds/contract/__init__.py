"""The normative types. Standard library only; one concept a file."""
