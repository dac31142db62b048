#!/bin/sh
# Saves the database of fonds in one file, and says how many archives the file holds.
#
#   PGHOST=... PGUSER=fonds_backup PGDATABASE=fonds backup.sh FILE
#
# The server, login and password are libpq's own variables or files, so that none stands in a process list.
# Row security binds whoever may not pass it: their dump would fail, or hold no rows and look well. Both are
# refused here. The file holds private material: it is readable by its owner alone.
set -eu
umask 077

fail() {
    echo "backup: $1" >&2
    exit 1
}

[ $# -eq 1 ] || { echo "usage: backup.sh FILE" >&2; exit 2; }
file=$1
[ ! -e "$file" ] || fail "$file is there already: nothing was written"
export PGDATABASE="${PGDATABASE:-fonds}"

ask() { psql -XAtq -v ON_ERROR_STOP=1 -c "$1" 2>/dev/null; }

passes=$(ask "SELECT rolsuper OR rolbypassrls FROM pg_catalog.pg_roles WHERE rolname = current_user") ||
    fail "the database cannot be reached: check PGHOST, PGUSER, PGDATABASE and the password file"
[ "$passes" = t ] ||
    fail "this login sees no row past row security: take the backup as fonds_backup (deploy/backup-role.sql)"
held=$(ask "SELECT count(*) FROM private.archive") ||
    fail "this login cannot read the archives: run deploy/backup-role.sql in this database"

part="$file.part"
trap 'rm -f "$part"' EXIT
rm -f "$part"
# The keys of scopes are no part of an archive: fonds migrate registers them where this is put back.
pg_dump --format=custom --exclude-table-data=seal.scope_key --file="$part" || fail "pg_dump did not end well: nothing was written"

# Counted in the file itself: that pg_dump ends well does not say that it saw anything. One row of the table
# is one line between COPY and the line that closes it.
saved=$(pg_restore --data-only --schema=private --table=archive --file=- "$part" |
    awk '/^COPY private\.archive /{inside = 1; next} /^\\\.$/{inside = 0} inside{n++} END{print n + 0}')
[ "$saved" -ge "$held" ] ||
    fail "the file holds $saved of $held archives: it was taken away again; was one removed meanwhile?"

sync "$part" 2>/dev/null || sync
mv "$part" "$file"
trap - EXIT
echo "$file: $saved archives"
