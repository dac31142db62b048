"""What `fonds_overseer` may do, as the table of rights has it: counts of the archive in scope."""

RIGHTS = """
call api: scope standing
private.access: SELECT archive_id anonymous caller_per_minute caller_per_day archive_per_day
  private_per_day
private.refusal: SELECT archive_id refused_at reason
private.run: SELECT archive_id run_id job outcome finished_at
schema api: USAGE
schema private: USAGE
"""
