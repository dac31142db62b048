"""The only code that speaks SQL. Adapters of the contract's ports over psycopg; statements live in `sql/`."""
