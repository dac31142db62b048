#!/bin/sh
# Makes the secret files of compose.yaml: one a setting, each login with a password of its own, and with a key to say
# which archive it reads (docs/deploying.md).
#
#   secrets.sh FOLDER              every file that is not there yet
#   secrets.sh FOLDER NAME ...     these anew: fonds_reader, say; then `fonds migrate --roles` sets both
#
# FONDS_DATABASE_AT is where the database is: host, port and name (database:5432/fonds). The folder is for its
# owner alone. The files in it can be read by all who may enter, since a container reads them as its own account.
set -eu
umask 077

[ $# -ge 1 ] || { echo "usage: secrets.sh FOLDER [NAME ...]" >&2; exit 2; }
folder=$1
shift
at=${FONDS_DATABASE_AT:-database:5432/fonds}
logins="migrator ingest build curator reader host queue"
scoped="ingest build curator reader host"

word() { od -An -v -tx1 -N24 /dev/urandom | tr -d ' \n'; }

put() {
    printf '%s' "$2" >"$folder/.$1.new"
    chmod 0444 "$folder/.$1.new"
    mv -f "$folder/.$1.new" "$folder/$1"
}

mkdir -p "$folder"
chmod 0700 "$folder"

for name in "$@"; do
    known=no
    for login in $logins; do
        if [ "$name" = "fonds_$login" ]; then known=yes; fi
    done
    if [ $known = no ]; then
        echo "secrets: $name is none of the logins fonds_X, where X is one of: $logins" >&2
        exit 2
    fi
    rm -f "$folder/${name}_url" "$folder/${name}_scope_key"
done
for login in $logins; do
    [ -e "$folder/fonds_${login}_url" ] ||
        put "fonds_${login}_url" "postgresql://fonds_$login:$(word)@$at"
done
for login in $scoped; do
    [ -e "$folder/fonds_${login}_scope_key" ] || put "fonds_${login}_scope_key" "$(word)"
done
# The administrator's password is the server's from its first start on: it is never made anew here.
if [ ! -e "$folder/postgres_password" ]; then
    password=$(word)
    put postgres_password "$password"
    case "$at" in *\?*) asked="?${at#*\?}" ;; *) asked="" ;; esac
    put fonds_admin_url "postgresql://postgres:$password@${at%%/*}/postgres$asked"
fi
# A key of a model's provider; empty where no archive uses one.
[ -e "$folder/openai_api_key" ] || put openai_api_key ""
