"""Small steps that prepare material for trials. What they are given is never kept here."""
