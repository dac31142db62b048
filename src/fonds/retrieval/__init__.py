"""Question to hits: filters, one scan, boosts, ranking, and the wire (R100-R134)."""
