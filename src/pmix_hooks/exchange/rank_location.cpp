// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/rank_location.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "pmix_hooks/exchange/locality.hpp"
#include "pmix_hooks/exchange/pmix_client.hpp"

namespace commmap::hooks {
namespace {

void list_cpus(const CpuBits& cpus, char* text, std::size_t size) noexcept {
    std::size_t used = 0;
    for (int cpu = 0; cpu < CpuBits::most_cpus; ++cpu) {
        if (!cpus.has(cpu)) continue;
        const int first = cpu;
        while (cpus.has(cpu + 1)) ++cpu;
        char range[32];
        const int length =
            first == cpu
                ? std::snprintf(range, sizeof range, "%s%d", used > 0 ? "," : "", first)
                : std::snprintf(range, sizeof range, "%s%d-%d", used > 0 ? "," : "", first, cpu);
        if (used + static_cast<std::size_t>(length) >= size) return;
        std::memcpy(text + used, range, static_cast<std::size_t>(length) + 1);
        used += static_cast<std::size_t>(length);
    }
}

}  // namespace

RankLocation find_rank_location() noexcept {
    RankLocation location;
    ask_pmix(location);
    if (location.node[0] == '\0' && ::gethostname(location.node, sizeof location.node - 1) != 0)
        std::strcpy(location.node, "unknown");
    CpuBits cpus;
    if (::sched_getaffinity(0, CpuBits::bytes(), static_cast<cpu_set_t*>(cpus.data())) == 0) {
        list_cpus(cpus, location.cpus, sizeof location.cpus);
        write_locality(cpus, "/sys/devices/system", location.locality, sizeof location.locality);
    }
    return location;
}

}  // namespace commmap::hooks
