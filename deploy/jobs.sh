#!/bin/sh
# Ingest, then build, at an interval. A run that fails leaves the old build served; the next one tries again.
# Where a scheduler exists, run the two modules from it and leave this file alone.
set -u
while :; do
    # Refused files (1), a drafter's key (2), a gist that fails (4) or a provider that is not there (69): what was
    # read is built all the same, and a build that lacks a vector keeps the old one.
    python -m ingest_jobs.ingest "$FONDS_ARCHIVE"
    case $? in
        0 | 1 | 2 | 4 | 69) python -m ingest_jobs.build "$FONDS_ARCHIVE" || true ;;
    esac
    sleep "${FONDS_JOB_SECONDS:-3600}"
done
