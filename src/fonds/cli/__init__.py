"""The command line: parse, call one function of the house, print. Results on stdout, the rest on
stderr.
"""
