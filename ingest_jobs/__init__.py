"""Scheduled jobs: one a file, each `python -m ingest_jobs.NAME`, each safe to run twice."""
