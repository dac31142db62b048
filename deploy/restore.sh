#!/bin/sh
# Puts a file of backup.sh back on a server whose database of that name is empty or not there.
#
#   PGHOST=... PGUSER=postgres restore.sh FILE
#
# As a superuser, after `fonds migrate --roles` and deploy/backup-role.sql: roles and passwords belong to the
# server and are no part of a dump. Never over a database that holds anything.
set -eu
umask 077

fail() {
    echo "restore: $1" >&2
    exit 1
}

[ $# -eq 1 ] || { echo "usage: restore.sh FILE" >&2; exit 2; }
file=$1
listed=$(pg_restore --list "$file" 2>/dev/null) || fail "$file is no backup that this version can read"
database=$(printf '%s\n' "$listed" | sed -n 's/^; *dbname: //p')
export PGDATABASE=postgres

ask() { psql -XAtq -v ON_ERROR_STOP=1 -v "name=$database" "$@" 2>/dev/null; }

super=$(echo "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user" | ask) ||
    fail "the server cannot be reached: check PGHOST, PGUSER and the password file"
[ "$super" = t ] || fail "only a superuser can give every object back to its owner: set PGUSER"

# Every name a right is given to or an object belongs to.
wanted=$(pg_restore --create --schema-only --file=- "$file" |
    sed -nE "s/^(GRANT|REVOKE|ALTER) .* (TO|FROM) (fonds_[a-z]+)( .*)?;$/\3/p" | sort -u)
missing=""
for role in $wanted; do
    there=$(echo "SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = '$role'" | ask)
    [ "$there" = 1 ] || missing="$missing $role"
done
[ -z "$missing" ] || fail "the server lacks the roles$missing: run 'fonds migrate --roles' and deploy/backup-role.sql"

# What pg_restore says when it stops may quote the row it stopped at, so that it is kept for its owner alone and not
# printed: beside the file, or among temporary files where that folder takes none.
said=$(mktemp "$file.err.XXXXXX" 2>/dev/null || mktemp 2>/dev/null) ||
    fail "there is no place for what pg_restore may say: set TMPDIR; nothing was changed"
trap 'rm -f "$said"' EXIT

if [ "$(echo "SELECT 1 FROM pg_catalog.pg_database WHERE datname = :'name'" | ask)" = 1 ]; then
    # The schema may be there, as `fonds migrate --roles` leaves it; not one row of anybody's.
    full=$(echo "SELECT format('SELECT 1 FROM %I.%I LIMIT 1', schemaname, tablename) FROM pg_catalog.pg_tables" \
        "WHERE schemaname IN ('private', 'served') \\gexec" | PGDATABASE=$database ask)
    [ -z "$full" ] || fail "the database $database holds archives: rename it or drop it first; nothing was changed"
    echo 'DROP DATABASE :"name"' | ask || fail "the database $database is in use: end what is connected to it"
fi

# The database itself is made from the file too: its locale, its rights and its settings.
if ! pg_restore --create --exit-on-error --dbname=postgres "$file" 2>"$said"; then
    trap - EXIT
    echo 'DROP DATABASE IF EXISTS :"name" WITH (FORCE)' | ask || true
    fail "pg_restore stopped: what it had made was dropped again; why is in $said, which may quote private text"
fi
# What PUBLIC may do with the languages is no part of a dump either: `fonds migrate --roles` takes it away again,
# and until it has, the service refuses to serve.
# Statistics are no part of a dump, and a plan made without them can be slow.
PGDATABASE=$database ask -c ANALYZE || fail "ANALYZE did not end well: run it by hand"
echo "$database: $(echo "SELECT count(*) FROM private.archive" | PGDATABASE=$database ask) archives;" \
    "run 'fonds migrate --roles' once more before anything is served"
