"""The composition root: the one place that knows both the stages and what implements their
ports.
"""
