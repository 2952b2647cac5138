// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "pmix_hooks/exchange/rank_location.hpp"

namespace commmap::hooks {

/// Fills node and node_id of this process's location with the values that PMIx tells.
/// Only uses a PMIx library that the MPI library has loaded and initialised. Never loads, links or
/// first initialises PMIx.
void ask_pmix(RankLocation& location) noexcept;

}  // namespace commmap::hooks
