# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""What a user has of a directory of profiles for itself alone is named by the user's number: own_name("plans") is "plans-1000"."""

import os


def own_name(name, user=None):
    return f"{name}-{os.geteuid() if user is None else user}"
