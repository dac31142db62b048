"""Text as words: cut, folded and freed of stop words, the same on every side (R166)."""
