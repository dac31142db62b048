"""What a process tells of itself: events, measures and spans, each a closed set without text."""
