// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/pmix_client.hpp"

#include <cstring>

#include "pmix_hooks/exchange/pmix_library.hpp"

namespace commmap::hooks {

void ask_pmix(RankLocation& location) noexcept {
    const PmixSession pmix;
    const PmixValue host = pmix.get(pmix.self(), PMIX_HOSTNAME);
    if (host != nullptr && host->type == PMIX_STRING && host->data.string != nullptr)
        std::strncpy(location.node, host->data.string, sizeof location.node - 1);
    const PmixValue node = pmix.get(pmix.self(), PMIX_NODEID);
    if (node != nullptr && node->type == PMIX_UINT32) location.node_id = node->data.uint32;
}

}  // namespace commmap::hooks
