"""Disclosure on the served path: what may travel, decided by pure functions that do no I/O.

`lint` says which strings may travel, `resolution` how far a fragment may, `strip` what a build
lets out of it, `canaries` whether a watched word got out, and `crossing` what leaves for a caller.
"""
