#pragma once

#include "core/profile/rank_report.hpp"
#include "pmix_hooks/comm_map.hpp"
#include "pmix_hooks/peer_table.hpp"

namespace commmap::hooks {

/// The counted part of this rank's report: rank, sent, fetched, communicators (those with
/// collectives), collectives. Throws std::bad_alloc.
[[nodiscard]] RankReport make_report(RankId self, const PeerTable& peers, const PeerTable& fetched,
                                     const CommMap& comms);

}  // namespace commmap::hooks
