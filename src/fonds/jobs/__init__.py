"""What runs by itself: slots of schedules, jobs as child processes, the worker over both (R191).

It knows the queue as a port and an archive as a file; it reads no content and imports no job.
"""
