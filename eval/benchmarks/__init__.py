"""Measurements that print JSON. What is compared is interleaved in one run; none is a test."""
