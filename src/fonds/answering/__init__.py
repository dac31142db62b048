"""Hits to a cited answer or a refusal: floors, writing, grounding and claim checks (R140-R172)."""
