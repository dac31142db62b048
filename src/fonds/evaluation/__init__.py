"""What `fonds eval` and `fonds scores` call: gold cases asked of the engine and judged (R180-R185).

`gold` reads the cases, `selection` chooses, `suite` asks, `judging` decides, `report` says how it
went, `report_file` keeps it, `comparison` sets two side by side, and `score_table` shows what a
floor can separate. Stores and providers arrive as callables.
"""
