#pragma once

#include "pmix_hooks/exchange/rank_location.hpp"

namespace commmap::hooks {

/// Fills node and node_id of this process from PMIx, as far as it tells. The PMIx library is the
/// one the MPI library has loaded and initialised; it is never loaded, linked against or
/// initialised for the first time from here.
void ask_pmix(RankLocation& location) noexcept;

}  // namespace commmap::hooks
