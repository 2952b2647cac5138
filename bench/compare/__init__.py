"""Whole-job comparison of placements: the same program, placed in several ways, timed by itself."""
