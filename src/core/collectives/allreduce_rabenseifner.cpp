#include <cstdint>

#include "core/collectives/algorithms.hpp"
#include "core/collectives/members.hpp"

namespace commmap {

namespace {

/// Half of [begin, end) that a participant keeps in the step at this distance.
struct Window {
    std::uint64_t begin;
    std::uint64_t end;
    [[nodiscard]] Window half(bool upper) const {
        const std::uint64_t middle = begin + (end - begin) / 2;
        return upper ? Window{middle, end} : Window{begin, middle};
    }
    [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

}  // namespace

/// Reduce-scatter by recursive halving, then allgather by recursive doubling over the same pairs
/// backwards. Of the pairs beyond a power of two, both reduce one half, the even member collects
/// the result and takes part. Source: Rabenseifner, "Optimization of Collective Reduction
/// Operations", ICCS 2004; the order of distances (1, 2, 4,
/// ... while halving) is Open MPI's redscat_allgather (coll_base_allreduce.c).
void allreduce_rabenseifner(const CollectiveCall& call, std::vector<ScheduledMessage>& messages) {
    if (call.num_members < 2) return;
    const PowerOfTwoGroup group(call.num_members);
    const Window all{0, call.payload_bytes};
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, all.half(true).bytes()});
        messages.push_back({2 * p + 1, 2 * p, all.half(false).bytes()});
        messages.push_back({2 * p + 1, 2 * p, all.half(true).bytes()});
    }
    std::vector<Window> window(group.size, all);
    std::vector<std::vector<Window>> kept;  // per step, for the way back
    for (std::uint32_t distance = 1; distance < group.size; distance *= 2) {
        kept.push_back(window);
        for (std::uint32_t i = 0; i < group.size; ++i) {
            const bool upper = (i & distance) != 0;
            messages.push_back({group.member(i, false), group.member(i ^ distance, false),
                                window[i].half(!upper).bytes()});
        }
        for (std::uint32_t i = 0; i < group.size; ++i) {
            window[i] = window[i].half((i & distance) != 0);
        }
    }
    for (std::uint32_t distance = group.size / 2; distance > 0; distance /= 2) {
        for (std::uint32_t i = 0; i < group.size; ++i) {
            messages.push_back(
                {group.member(i, false), group.member(i ^ distance, false), window[i].bytes()});
        }
        window = kept.back();
        kept.pop_back();
    }
    for (std::uint32_t p = 0; p < group.rest; ++p) {
        messages.push_back({2 * p, 2 * p + 1, call.payload_bytes});
    }
}

}  // namespace commmap
