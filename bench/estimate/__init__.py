# SPDX-FileCopyrightText: The commmap authors
# SPDX-License-Identifier: Apache-2.0

"""scripts/bench estimate: predicted ratios of placements beside measured ones (docs/developer/prediction.md)."""
