# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""A problem the user can do something about: one line, no traceback."""


class Problem(Exception):
    pass
