"""The only code that leaves the machine: embedders and writers, each behind a port (R045, R142)."""
