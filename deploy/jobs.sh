#!/bin/sh
# Ingest, then build, at an interval. A run that fails leaves the old build served; the next one tries again.
# Where a scheduler exists, run the two modules from it and leave this file alone.
set -u
while :; do
    # Exit 1 is a report with refused files: what was read is built all the same.
    python -m ingest_jobs.ingest "$FONDS_ARCHIVE"
    if [ $? -le 1 ]; then
        python -m ingest_jobs.build "$FONDS_ARCHIVE" || true
    fi
    sleep "${FONDS_JOB_SECONDS:-3600}"
done
