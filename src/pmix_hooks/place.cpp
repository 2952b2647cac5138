#include "pmix_hooks/place.hpp"

#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "pmix_hooks/arena.hpp"
#include "pmix_hooks/pmix_client.hpp"

namespace commmap::hooks {
namespace {

constexpr int max_cpus = 16384;

void list_cpus(char* text, std::size_t size) noexcept {
    const std::size_t bytes = CPU_ALLOC_SIZE(max_cpus);
    const ScratchPages pages(bytes);
    auto* set = pages.as<cpu_set_t>();
    if (set == nullptr || ::sched_getaffinity(0, bytes, set) != 0) return;
    std::size_t used = 0;
    for (int cpu = 0; cpu < max_cpus; ++cpu) {
        if (!CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) continue;
        const int first = cpu;
        while (cpu + 1 < max_cpus && CPU_ISSET_S(static_cast<std::size_t>(cpu + 1), bytes, set))
            ++cpu;
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

Place find_place() noexcept {
    Place place;
    ask_pmix(place);
    if (place.node[0] == '\0' && ::gethostname(place.node, sizeof place.node - 1) != 0)
        std::strcpy(place.node, "unknown");
    list_cpus(place.cpus, sizeof place.cpus);
    return place;
}

}  // namespace commmap::hooks
