"""Measurements that print JSON. What is compared is interleaved in one run; nothing here is a test."""
