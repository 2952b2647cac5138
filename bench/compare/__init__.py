# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""Whole-job comparison of placements: the same program, placed in several ways, timed by itself."""
