"""Private to served: check what is stored, materialise what may travel, switch (R091-R095)."""
