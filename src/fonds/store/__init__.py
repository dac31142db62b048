"""The only code that speaks SQL: adapters of the ports over psycopg; statements in `sql/`."""
