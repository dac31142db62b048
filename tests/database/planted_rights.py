"""Rights that nobody wrote down, each of which has to be noticed (R094)."""

from __future__ import annotations

from typing import LiteralString

PLANTS: tuple[LiteralString, ...] = (
    "CREATE TABLE public.planted (a int); GRANT SELECT ON public.planted TO fonds_reader",
    "GRANT SELECT (text) ON private.fragment TO fonds_reader",
    "GRANT USAGE ON SCHEMA private TO fonds_reader",
    "GRANT MAINTAIN ON served.fragment TO fonds_reader",
    "GRANT USAGE ON SEQUENCE private.archive_archive_id_seq TO fonds_reader",
    "GRANT EXECUTE ON FUNCTION api.was_private(text, text[]) TO fonds_reader",
    "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC",
    "GRANT CREATE ON SCHEMA public TO PUBLIC",
    "GRANT EXECUTE ON FUNCTION pg_catalog.pg_read_file(text) TO fonds_reader",
    "GRANT pg_read_all_data TO fonds_reader WITH INHERIT TRUE",
    "GRANT SET ON PARAMETER log_statement TO fonds_reader",
    "CREATE VIEW served.planted AS SELECT text FROM private.fragment;"
    " GRANT SELECT ON served.planted TO fonds_reader",
    "CREATE FUNCTION api.planted() RETURNS int LANGUAGE sql AS 'SELECT 1'",
)
